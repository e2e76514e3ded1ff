package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
)

// Every key of ATP reaches the system, and the section may be left out.
func TestKeysOfATP(t *testing.T) {
	const run = "systems: [{system: atp}]\n"
	plain := atp.System{Aggregators: 20_000, Parts: 1, ServerCount: 1, Threads: 1, Window: 200, Span: 2048, LeastWindow: 1, Factor: 100_000_000, Pipe: atp.Pipe{Pipeline: true}}
	for section, change := range map[string]func(*atp.System){
		"":                               func(*atp.System) {},
		"aggregators: 0":                 func(s *atp.System) { s.Aggregators = atp.None },
		"aggregators: 65536":             func(s *atp.System) { s.Aggregators = 65536 },
		"unscaled: true":                 func(s *atp.System) { s.Unscaled = true },
		"indexing: position":             func(*atp.System) {},
		"indexing: sequence":             func(s *atp.System) { s.Indexing = host.ByNumber },
		"indexing: linear":               func(s *atp.System) { s.Indexing = host.Linear },
		"indexing: static, parts: 3":     func(s *atp.System) { s.Indexing, s.Parts = host.Static, 3 },
		"rehash: free":                   func(*atp.System) {},
		"rehash: index":                  func(s *atp.System) { s.Rehash = server.ByIndex },
		"rehash: never":                  func(s *atp.System) { s.Rehash = server.Never },
		"remap: aligned":                 func(s *atp.System) { s.Aligned = true },
		"levels: rack":                   func(s *atp.System) { s.Levels = atp.RackLevel },
		"levels: all":                    func(s *atp.System) { s.Levels = atp.AllLevels },
		"age: 3ms":                       func(s *atp.System) { s.Age = 3 * units.Millisecond },
		"age: default, timeout: default": func(*atp.System) {},
		"server-count: 2, threads: 3":    func(s *atp.System) { s.ServerCount, s.Threads = 2, 3 },
		"window: 9, span: 10":            func(s *atp.System) { s.Window, s.Span = 9, 10 },
		"least-window: 5":                func(s *atp.System) { s.LeastWindow = 5 },
		"congestion-control: off":        func(s *atp.System) { s.Fixed = true },
		"growth: doubling":               func(s *atp.System) { s.Doubling = true },
		"threshold: start":               func(s *atp.System) { s.Avoidance = true },
		"halving: ack":                   func(s *atp.System) { s.EachMark = true },
		"resend: passed":                 func(s *atp.System) { s.Resend = host.Passed },
		"resend: gaps":                   func(s *atp.System) { s.Resend = host.Gaps },
		"timeout-resend: expected":       func(s *atp.System) { s.ExpectedOnly = true },
		"timeout-window: keep":           func(s *atp.System) { s.Keep = true },
		"timeout: 200us":                 func(s *atp.System) { s.Timeout = 200 * units.Microsecond },
		"factor: 1000000":                func(s *atp.System) { s.Factor = 1_000_000 },
		"overlap: superset":              func(s *atp.System) { s.Superset = true },
		"copy: 60Gbit/s, ring: 100":      func(s *atp.System) { s.Copy, s.Ring = 60*units.GbitPerSecond, 100 },
		"pipe: reference, timing: none":  func(s *atp.System) { s.Pipe = atp.Pipe{} },
		"pipe: pipeline, timing: tofino": func(s *atp.System) { s.Pipe = atp.Pipe{Pipeline: true, Timed: true} },
		"copy: none":                     func(*atp.System) {},
	} {
		text := run
		if section != "" {
			text += "atp: {" + section + "}\n"
		}
		want := plain
		change(&want)
		if got := mustShort(t, text).Systems[0].System; got != want {
			t.Errorf("%s: %+v, want %+v", section, got, want)
		}
	}
	for section, want := range map[string]string{
		"aggregators: 65537": "atp.aggregators: 65537: allowed are 0 to 65536",
		"indexing: hash":     `atp.indexing: "hash": allowed are position, sequence, linear, static`,
		"copy: 60":           `atp.copy: rate "60" has no unit`,
		"factor: 0":          "atp.factor: 0: allowed are 1 to 1000000000000000",
		"levels: three":      `atp.levels: "three": allowed are two, rack, all`,
		"server-count: 0":    "atp.server-count: 0: allowed are 1 to 64",
	} {
		if _, err := loadShort(t, run+"atp: {"+section+"}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", section, err, want)
		}
	}
}

// Jobs of one lab have servers of their own, and a switch may forget in mid-run.
func TestTenantsOfATP(t *testing.T) {
	sets, err := mustShort(t, `systems: [{system: atp}]
hosts: 6
jobs: [{name: a, hosts: [h0, h1], servers: [h2]}, {name: b, hosts: [h3, h4], servers: [h5]}]
at: [{time: 2s, forget: tor}]
`).Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := sets[0].Course()
	if err != nil || len(steps) != 1 || steps[0].String() != "forget tor at 2s" {
		t.Errorf("%v, %v", steps, err)
	}
	for k, j := range sets[0].Jobs {
		if got := j.ServerHosts(); len(got) != 1 || got[0].Index != 3*k+2 {
			t.Errorf("servers of job %d are on %+v", k, got)
		}
	}
}
