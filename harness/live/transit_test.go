package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/topo"
)

// Programs in transit run in the process of a real switch: systems that aggregate in it,
// and systems over kernel TCP, get all sums right through them.
func TestProgramsInTransitLive(t *testing.T) {
	for program, config := range map[string]string{
		"telemetry": `{"Collector":{"Src":"10.9.9.1","Dst":"10.9.9.2"},"Reports":[0]}`,
		"police":    `{"Rate":"100Gbit/s","Burst":"1GB"}`,
		"filter":    `null`, // none is the zero value
		"microcode": `{"Name":"pass","File":"pass.mc","Text":"packet entry start;\nstart: begin Forward(0); exit; end","Hops":[{"Routing":true}]}`,
	} {
		for _, system := range []job.System{ring.System{}, switchml.System{Elements: 256}} {
			j := mustJob(t, scene{system: system, topology: "rack", iterations: 3, change: func(s *job.Spec) {
				s.Transit = [][]chassis.Program{{{System: program, Config: json.RawMessage(config)}}}
			}})
			c, err := RunJob(t.Context(), j, options(t))
			if err != nil {
				t.Fatalf("%s through %s: %v", system.Name(), program, err)
			}
			passed := counted(c, program+"/pfe-forwarded", nil)
			if c.Wrong != 0 || c.Checked == 0 || passed < 100 {
				t.Errorf("%s through %s: %d of %d elements wrong, %d packets passed", system.Name(), program, c.Wrong, c.Checked, passed)
			}
		}
	}
}

// A run that stalls because a program in transit does wrong names the fault, its place and how often it was, and keeps what
// was counted.
func TestStalledRunNamesFaultsOfProgramsLive(t *testing.T) {
	const text = "sram words[4]; lmem u64 v; packet entry start;\nstart: begin MemWrite(words + 0x5000, &v, 8); end\nbegin Forward(0); exit; end"
	config, err := json.Marshal(user.Config{Name: "p", File: "p.mc", Text: text, Match: dataplane.Match{Protocol: inet.ProtoUDP}, Hops: []user.Hop{{Routing: true}}})
	if err != nil {
		t.Fatal(err)
	}
	j := mustJob(t, scene{system: switchml.System{}, topology: "rack", change: func(s *job.Spec) {
		s.Transit = [][]chassis.Program{{{System: user.System, Name: "p", Config: config}}}
	}})
	opt := options(t)
	opt.quiet = quick
	c, err := RunJob(t.Context(), j, opt)
	const fault = "pfe-memory-address-out-of-range at p.mc:2:8"
	n := counted(c, "p/"+fault, nil)
	if want := fmt.Sprintf("; program p on tor: %d of its threads ended by %s", n, fault); !errors.Is(err, ErrStalled) || n == 0 || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if len(c.Transit) == 0 || len(c.Links) == 0 {
		t.Errorf("%d counters of programs, %d links", len(c.Transit), len(c.Links))
	}
}

// A program that is not there ends the run by its name, and nothing is left behind.
func TestUnknownProgramInTransit(t *testing.T) {
	j := mustJob(t, scene{system: ring.System{}, topology: "rack", iterations: 1, change: func(s *job.Spec) {
		s.Transit = [][]chassis.Program{{{System: "telemetri"}}}
	}})
	_, err := RunJob(t.Context(), j, options(t))
	if want := `program of "telemetri"`; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "telemetry") {
		t.Errorf("error %v, want one with %s and the nearest name", err, want)
	}
}

// A collector on a host of a worker takes what a program in the real switch reports: the heavy
// flow, and not the light one.
func TestCollectorLive(t *testing.T) {
	heavy(t)
	needRoot(t)
	j := besideFlows(t, switchml.System{Elements: 256}, topo.LinkSpec{Rate: 50 * mbit, Queue: units.MiB},
		flow("heavy", job.FlowUDP, "h4", "h3", traffic.Pattern{Rate: 20 * mbit}), flow("light", job.FlowUDP, "h4", "h1", traffic.Pattern{Rate: mbit / 10}))
	sw, h := j.Plan.Switches[0], j.Plan.Hosts[1]
	config, err := json.Marshal(map[string]any{
		"HeavyBytes": "100KB", "Reports": []int{h.SwitchPort}, // of 250 KB in a period
		"Collector": inet.Flow{SrcMAC: inet.MAC(sw.MAC), DstMAC: inet.MAC(h.MAC), Src: sw.Router, Dst: h.Addr.Addr(), SrcPort: 4740, DstPort: 4740},
	})
	if err != nil {
		t.Fatal(err)
	}
	j.Collectors = []job.Collector{{Program: "telemetry", Host: "h1", Port: 4740}}
	j.Transit = [][]chassis.Program{{{System: "telemetry", Config: config}}}
	c := mustRun(t, j, options(t))
	i := slices.IndexFunc(c.Reports, func(r result.Report) bool { return r.From == "h4" && r.To == "h3" })
	if i < 0 || slices.ContainsFunc(c.Reports, func(r result.Report) bool { return r.From == "h4" && r.To == "h1" }) {
		t.Fatalf("reports %+v", c.Reports)
	}
	r, f := c.Reports[i], c.Flows[0]
	if r.Switch != "tor" || r.Collector != "h1" || r.Reports == 0 || r.Packets > f.Sent || uint64(r.Bytes) != 1514*r.Packets {
		t.Errorf("%+v of %+v", r, f)
	}
	sent := uint64(0)
	for _, p := range c.Transit {
		if p.Counter == "telemetry-reports" {
			sent = p.N
		}
	}
	told := uint64(0)
	for _, r := range c.Reports {
		told += r.Reports
	}
	if told == 0 || told > sent { // a machine that stands still may report when the collector has ended
		t.Errorf("the switch sent %d reports, the collector got %d", sent, told)
	}
}

// Packets with options cross a real switch, and a filter in it drops them all.
func TestOptionsLive(t *testing.T) {
	heavy(t)
	needRoot(t)
	for _, programs := range [][]chassis.Program{nil, {{System: "filter"}}} {
		withOptions := flow("options", job.FlowUDP, "h4", "h3", traffic.Pattern{Rate: 5 * mbit})
		withOptions.Options = true
		j := besideFlows(t, switchml.System{Elements: 256}, topo.LinkSpec{Rate: 50 * mbit, Queue: units.MiB}, withOptions)
		j.Transit = [][]chassis.Program{programs}
		c := mustRun(t, j, options(t))
		f, dropped := c.Flows[0], counted(c, "filter/filter-drop-cnt-base-1", nil)
		if programs == nil && (f.Delivered == 0 || uint64(f.DeliveredBytes) != 1500*f.Delivered) {
			t.Errorf("without a filter: %+v", f)
		}
		if programs != nil && (f.Sent == 0 || f.Delivered != 0 || dropped == 0) {
			t.Errorf("with a filter, which drops %d: %+v", dropped, f)
		}
	}
}
