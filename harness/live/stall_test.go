package live

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/trace"
)

// quick is a quiet time for tests: the watchdog still looks twice.
const quick = 500 * time.Millisecond

// lossAt lets one direction of the link of h3 lose every n-th frame.
func lossAt(j *job.Job, every int, up bool) {
	p := &j.Plan.Switches[0].Ports[j.Plan.Hosts[3].SwitchPort]
	if up {
		p.In.LossEvery = every
		return
	}
	p.Out.LossEvery = every
}

// A run that stalls ends soon and names the slot or block, who is missing, the
// first hop without packets and the last event.
func TestStalledRunSaysWhy(t *testing.T) {
	for _, tc := range []struct {
		name     string
		system   job.System
		topology string
		every    int
		up       bool
		want     []string
	}{
		{"SwitchML, lost on the way up", switchml.System{}, "rack", 40, true,
			[]string{"slot ", " at tor waits for h3: it has 0b110111 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 (", "last event: "}},
		{"SwitchML, lost on the way down", switchml.System{}, "rack", 40, false,
			[]string{"h3 waits for the result of slot ", ", which tor has sent", "first hop without packets: tor:p3->h3:eth0 (", "last event: "}},
		{"ATP, nothing comes", atp.System{}, "rack", 1, true,
			[]string{"block 0 of iteration 0 at h6 waits for h3: it has 0b110111 (5 of 6)", "first hop without packets: h3:eth0->tor:p3 (", "last event: "}},
		{"Trio-ML, a result lost", trioml.System{}, "mx480", 10, false,
			[]string{"h3 waits for the result of block ", ", which mx480/pfe4 has sent", "first hop without packets: mx480:et-0-1-0->h3:eth0 (", "last event: "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opt := options(t)
			opt.quiet = quick
			var logs []*trace.Log
			opt.Events = func(l []*trace.Log) { logs = l }
			j := mustJob(t, scene{system: tc.system, topology: tc.topology})
			lossAt(j, tc.every, tc.up)
			_, err := RunJob(t.Context(), j, opt)
			if !errors.Is(err, ErrStalled) {
				t.Fatalf("error %v", err)
			}
			t.Log(err)
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it lacks %q", want)
				}
			}
			if want := 7 + len(j.ServerHosts()); len(logs) != want {
				t.Errorf("events of %d nodes, want %d", len(logs), want)
			}
			for _, l := range logs {
				if l.Len() == 0 {
					t.Error("a node left no events")
				}
			}
		})
	}
}

// A worker that hangs is found by its silence, one that died at once; both are
// what the others wait for.
func TestWorkerThatIsGoneIsNamed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		signal unix.Signal
		want   []string
	}{
		{"hangs", unix.SIGSTOP, []string{ErrStalled.Error(), "waits for h2", "first hop without packets: h2 (its process does not answer)", "no answer from h2"}},
		{"died", unix.SIGKILL, []string{"worker h2 died (signal: killed) in mid-run", "waits for h2", "first hop without packets: h2 (its process has ended)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opt := options(t)
			opt.quiet, opt.grace = quick, quick // what hangs takes all of its grace
			run := start(t, t.Context(), mustJob(t, scene{system: switchml.System{}, topology: "rack", iterations: 10_000}), opt)
			run.awaitTraining(t)
			victim := processes(t, opt.Lab, opt.NetNS)["h2"]
			if err := unix.Kill(victim.PID, tc.signal); err != nil {
				t.Fatal(err)
			}
			<-run.ended
			t.Log(run.err)
			for _, want := range tc.want {
				if run.err == nil || !strings.Contains(run.err.Error(), want) {
					t.Errorf("it lacks %q", want)
				}
			}
		})
	}
}

// So is a dedicated server that hangs.
func TestServerThatHangsIsNamed(t *testing.T) {
	opt := options(t)
	opt.quiet, opt.grace = quick, quick // what hangs takes all of its grace
	run := start(t, t.Context(), mustJob(t, scene{system: ps.System{Dedicated: true}, topology: "rack", hosts: 2, iterations: 10_000}), opt)
	run.awaitTraining(t)
	if err := unix.Kill(processes(t, opt.Lab, opt.NetNS)["h3"].PID, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-run.ended
	t.Log(run.err)
	for _, want := range []string{ErrStalled.Error(), "first hop without packets: h3 (its process does not answer)", "no answer from h3"} {
		if run.err == nil || !strings.Contains(run.err.Error(), want) {
			t.Errorf("it lacks %q", want)
		}
	}
}

// A run that is only slow is left alone, and hands its events over: those of a
// worker begin with its first packet.
func TestEventsOfARun(t *testing.T) {
	opt := options(t)
	var logs []*trace.Log
	opt.Events = func(l []*trace.Log) { logs = l }
	j := mustJob(t, scene{system: trioml.System{}, topology: "mx480"})
	mustRun(t, j, opt)
	kinds := map[trace.Kind]int{}
	for e := range trace.Merged(logs) {
		kinds[e.Kind]++
		if e.At < 0 {
			t.Errorf("event from before the run: %+v", e)
		}
	}
	// On a busy machine a block may age before a server sends it: its result comes first, and it is not sent.
	blocks := j.Naming().Blocks
	sent, late := kinds[trace.Sent], kinds[trace.NotSent]
	if want := 6 * 3 * blocks; kinds[trace.ResultIn] != want || sent+late != want || late > 0 && kinds[trace.BlockAged] == 0 ||
		kinds[trace.Contribution]+kinds[trace.Dropped] < sent {
		t.Errorf("events %v of %d blocks", kinds, blocks)
	}
}
