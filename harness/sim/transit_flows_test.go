package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/program/user"
)

// countedBy returns a count of a program.
func countedBy(c result.Cell, counter string) uint64 {
	for _, p := range c.Transit {
		if p.Counter == counter {
			return p.N
		}
	}
	return 0
}

// The filter drops every packet with options that comes to it, and no other: the scenario has a
// flow of each, on a rack and on a chassis. Without the program both arrive, and count whole.
func TestFilterDropsOptions(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, j := range embedded(t, "filter", "iterations=3") {
		c := run(t, j, im)
		plain, options, dropped := c.Flows[0], c.Flows[1], countedBy(c, "filter-filtered")
		if plain.Delivered+3 < plain.Sent || options.Sent < 100 || options.Delivered != 0 || dropped+3 < options.Sent || dropped > options.Sent {
			t.Errorf("%s: of %d plain packets %d came, of %d with options %d, the filter counts %d", c.System, plain.Sent, plain.Delivered, options.Sent, options.Delivered, dropped)
		}
	}
	c := run(t, embedded(t, "filter", "iterations=3", "transit=[]")[0], im)
	if f := c.Flows[1]; f.Delivered+3 < f.Sent || uint64(f.DeliveredBytes) != 1500*f.Delivered || len(c.Transit) != 0 {
		t.Errorf("without the filter: %+v, programs %+v", f, c.Transit)
	}
}

// Telemetry tells the collector of the heavy flow alone, by as many reports as it sent, and with the
// packets that came to the switch, on a rack and on a chassis.
func TestTelemetryNamesTheHeavyFlow(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, j := range embedded(t, "telemetry", "iterations=3") {
		c := run(t, j, im)
		if len(c.Reports) != 1 || !c.Collected {
			t.Fatalf("%s: reports %+v", c.System, c.Reports)
		}
		r, heavy := c.Reports[0], c.Flows[0]
		sent := countedBy(c, "telemetry-reports")
		if r.Switch != j.Plan.Switches[0].Name || r.From != "h4" || r.To != "h0" || r.Collector != "h5" || r.Reports != sent || r.Reports < 3 ||
			uint64(r.Bytes) != 9014*r.Packets || r.Packets > heavy.Sent || 2*r.Packets < heavy.Sent {
			t.Errorf("%s: %+v of %+v, the program sent %d", c.System, r, heavy, sent)
		}
	}
}

// A run that stalls because a program in transit does wrong names the fault, its place and how often it was, and keeps what
// was counted.
func TestStalledRunNamesFaultsOfPrograms(t *testing.T) {
	const memory = "sram words[4]; lmem u64 v; packet entry start;\nstart: begin MemWrite(words + 0x5000, &v, 8); end\nbegin Forward(0); exit; end"
	for text, fault := range map[string]string{
		memory: "pfe-memory-address-out-of-range at p.mc:2:8",
		"packet entry start;\nstart: begin goto start; end": "pfe-instruction-limit at p.mc:2:8",
	} {
		config, err := json.Marshal(user.Config{Name: "p", File: "p.mc", Text: text, Hops: []user.Hop{{Routing: true}}})
		if err != nil {
			t.Fatal(err)
		}
		j := jobs(t, "systems=[{system: trioml, topology: mx480}]", "iterations=2", "stragglers.p=[0%]", "scale=4000")[0]
		on := chassis.Program{System: user.System, Name: "p", Config: config}
		j.Transit = [][]chassis.Program{{on, on}}
		j.Transit[0][1].PFE = 1
		c, err := sim.RunJob(t.Context(), j, images(t), nil)
		n := countedBy(c, fault)
		want := fmt.Sprintf("; program p on mx480: %d of its threads ended by %s", n, fault)
		if !errors.Is(err, sim.ErrStalled) || n == 0 || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
		if len(c.Counters) == 0 || len(c.Links) == 0 || c.Fidelity.Verdict != "" {
			t.Errorf("%d counters, %d links, verdict %q", len(c.Counters), len(c.Links), c.Fidelity.Verdict)
		}
	}
}
