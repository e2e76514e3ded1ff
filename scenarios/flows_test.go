package scenarios

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/traffic"
)

const twoFlows = `systems: [{system: ring}, {system: trioml, topology: mx480}]
flows:
  - {name: bulk, from: h0, to: h3, kind: tcp, start: 100ms, stop: 2s, ecn: true}
  - {name: noise, from: h1, to: h2, kind: udp, rate: 10Gbit/s, on: 10ms, off: 20ms}
`

// Rates are scaled, packets and times are not; every job has the flows, in either clock.
func TestFlows(t *testing.T) {
	s := mustShort(t, twoFlows)
	want := []job.Flow{
		{Name: "bulk", Kind: "tcp", From: "h0", To: "h3", ECN: true, Pattern: traffic.Pattern{Packet: 16 * units.KiB, Start: 100 * units.Millisecond, Stop: 2 * units.Second}},
		{Name: "noise", Kind: "udp", From: "h1", To: "h2", Pattern: traffic.Pattern{
			Rate: 10 * units.GbitPerSecond / units.Rate(s.Scale), Packet: 1500, On: 10 * units.Millisecond, Off: 20 * units.Millisecond,
		}},
	}
	for _, virtual := range []bool{true, false} {
		jobs, err := s.Jobs(virtual)
		if err != nil || len(jobs) != 2 {
			t.Fatalf("%d jobs, error %v", len(jobs), err)
		}
		for _, j := range jobs {
			if diff := cmp.Diff(want, j.Flows); diff != "" {
				t.Errorf("%s, flows (-want +got):\n%s", j.System.Name(), diff)
			}
		}
	}
	text, err := s.MarshalYAML()
	if err != nil || strings.Count(string(text), "name: noise") != 1 || !strings.Contains(string(text), "rate: 10Gbit/s") {
		t.Errorf("as a file, error %v:\n%s", err, text)
	}
}

// Flows belong to the lab: of several jobs, they stand with the first.
func TestFlowsBesideTenants(t *testing.T) {
	jobs, err := mustShort(t, `systems: [{system: switchml256}]
jobs: [{hosts: [h0, h1]}, {hosts: [h2, h3]}]
flows: [{name: a, from: h1, to: h5, kind: tcp}]
`).Jobs(true)
	if err != nil || len(jobs) != 2 || len(jobs[0].Flows) != 1 || len(jobs[1].Flows) != 0 {
		t.Errorf("%d jobs, error %v", len(jobs), err)
	}
}

// The file of the page on traffic runs.
func TestThePageOnTrafficIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/traffic.md")
	if err != nil {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(string(text), "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	s, err := Load(Source{Name: "docs", Text: []byte(file)}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	if jobs, err := s.Jobs(true); err != nil || len(jobs) != 2 || len(jobs[0].Flows) != 2 {
		t.Errorf("%d jobs, error %v", len(jobs), err)
	}
}

func TestBadFlows(t *testing.T) {
	for flow, want := range map[string]string{
		"{name: a, from: h0, to: h1, kind: sctp}":                                        `flows[0]: flow a: kind "sctp": allowed are udp and tcp`,
		"{name: a, from: h0, to: h1, kind: udp}":                                         "flows[0]: flow a: UDP needs a rate, as in 10Gbit/s",
		"{name: a, from: h0, to: h1, kind: udp, rate: 10}":                               "flows[0].rate",
		"{name: a, from: h0, to: h0, kind: tcp}":                                         "flows[0]: flow a: it goes from h0 to itself: name another host",
		"{name: a, from: h0, to: h9, kind: tcp}":                                         `flows[0]: flow a: topology rack has no host "h9", its hosts are h0 to h5`,
		"{name: a, from: tor, to: h1, kind: tcp}":                                        `flows[0]: flow a: topology rack has no host "tor"`,
		"{name: a, from: h0, to: h1, kind: tcp, on: 1ms}":                                "flows[0]: flow a: on for 1ms, off for 0s: give both",
		"{name: a, from: h0, to: h1, kind: tcp, on: fast, off: 1ms}":                     "flows[0].on",
		"{name: a, from: h0, to: h1, kind: tcp, start: 2s, stop: 1s}":                    "flows[0]: flow a: it starts at 2s and stops at 1s: the stop must be later",
		"{name: a, from: h0, to: h1, kind: udp, rate: 1Gbit/s, packet: 9001}":            "flows[0]: flow a: packets of 9001 bytes exceed the MTU of 9000 bytes of topology rack: make them smaller, or raise the MTU",
		"{name: a, from: h0, to: h1, kind: udp, rate: 1Gbit/s, packet: 43}":              "flows[0]: flow a: packets of 43B: they hold headers, number and time in 44B or more",
		"{name: a, from: h0, to: h1, kind: tcp, packet: -1}":                             "flows[0].packet: -1: allowed are 0 to 4194304",
		"{name: A b, from: h0, to: h1, kind: tcp}":                                       `flows[0]: flow "A b": it needs a name of a-z, 0-9 and -`,
		"{name: a, from: h0, to: h1, kind: tcp}, {name: a, from: h1, to: h0, kind: tcp}": "flows[1]: two flows are called a: give each a name of its own",
		"{name: a, from: h0, to: h1, kind: tcp, speed: 1}":                               `unknown key "speed"`,
	} {
		s, err := loadShort(t, "systems: [{system: ring}]\nflows: ["+flow+"]\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", flow, err, want)
		}
	}
}
