package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// watching is a scenario whose program finds packets by a filter, is told by a threshold and by
// external events, and counts all three.
const watching = `
apiVersion: inalab/v1
kind: Scenario
name: watching
iterations: 3
hosts: 4
systems: [{system: ring}]
jobs: [{name: a, hosts: [h0, h1]}]
flows:
  - {name: seen, from: h2, to: h0, kind: udp, rate: 1Gbit/s, packet: 1500}
  - {name: other, from: h3, to: h1, kind: udp, rate: 1Gbit/s, packet: 1500}
transit:
  - program: watch.mc
    source: |
      struct ipv4_t { : 96; src : 32; dst : 32; };
      virtual ipv4_t *ip = HEAD_START + 14;
      register packet_work_t arrived @ WORK_REGISTER;
      register event_work_t told @ WORK_REGISTER;
      register u32 at;
      register filter_reply_t term;
      fields ends { ip->src, ip->dst };
      filter watched[4] on ends;
      counter by_term[4];
      counter loud;
      counter notes;
      packet entry start;
      statistics by_term every 1000000 packets entry loud_now;
      event note entry note;
      start: begin term = Filter(watched); end
      begin if (!term.matched) goto pass; at = by_term + term.value * 2; end
      begin CounterIncPhys(at, arrived.pkt_len); end
      pass: begin Forward(0); exit; end
      loud_now: begin CounterIncPhys(loud, 1); exit; end
      note: begin CounterIncPhys(notes, told.value); exit; end
    memory: [{name: by_term.every, value: 10}]
    tables:
      - name: watched
        terms: [{name: seen, match: {src: 10.1.0.3, "ip->dst": 10.1.0.0/24}, value: 2}]
at:
  - {time: 2ms, raise: note, on: tor, value: 7}
  - {time: 4ms, raise: note, on: tor, value: 8, program: watch}
expect:
  - {column: wrong, max: 0}
  - {table: flows, column: delivered, where: {flow: seen}, min: 20}
`

// runWatching runs the scenario by a clock, and wants what the program counts. Of a live run the
// machine may be too busy for its times to count, which does not matter here.
func runWatching(t *testing.T, clock string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "watching.scenario.yaml"), []byte(watching), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := guided(dir, "run", "watching.scenario.yaml", "--clock", clock, "--out", "out")
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err != nil && code != exitInvalid {
		t.Fatalf("%v\n%s", err, out)
	}
	got := column(t, filepath.Join(dir, "out", "latest", "transit.csv"), "counter", "count")
	count := func(name string) int {
		n, _ := strconv.Atoi(got["watch-"+name])
		return n
	}
	if seen := count("by-term-2"); seen < 20 || count("by-term-1") != 0 || count("loud") != seen/10 || count("notes") != 2 || count("notes-bytes") != 15 {
		t.Errorf("it counts %v\n%s", got, out)
	}
}

// Terms, thresholds and events of a scenario reach its program, under either clock.
func TestProgramEventsVirtual(t *testing.T) { runWatching(t, "virtual") }
