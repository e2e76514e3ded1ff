package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/spec"
)

// read returns what a file means that stands alone.
func read(t *testing.T, text string) *spec.Lab {
	t.Helper()
	lab, err := resolve(text, spec.Base{})
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

// A file with every key: kinds, ports, chassis, directions, impairments, engines and programs.
func TestEverything(t *testing.T) {
	lab := read(t, everything)
	leaf, core := lab.Graph.Nodes[0], lab.Graph.Nodes[1]
	if diff := cmp.Diff(topo.Node{Name: "leaf", Kind: topo.Switch, Ports: []string{"p0", "p1", "p2"}}, leaf); diff != "" {
		t.Error(diff)
	}
	want := &topo.Chassis{
		Top: 1, Fabric: topo.LinkSpec{Rate: 400 * units.GbitPerSecond, Delay: units.Microsecond},
		PFEs: []topo.PFE{
			{Name: "pfe1", Ports: []string{"et-0-0-0", "et-0-0-1"}},
			{Name: "pfe2", FPC: 3, Ports: []string{"et-3-0-0", "et-3-0-1"}},
		},
	}
	if diff := cmp.Diff(want, core.Chassis); diff != "" || core.Tier != 1 {
		t.Errorf("tier %d, %s", core.Tier, diff)
	}
	h0, h1, up := lab.Graph.Links[0], lab.Graph.Links[1], lab.Graph.Links[2]
	if h0.AtoB.LossEvery != 1000 || h0.BtoA.LossEvery != 1000 || h0.AtoB.Jitter != units.Microsecond || h0.AtoB.Marking.Min != 100_000 {
		t.Errorf("%+v", h0)
	}
	if h1.B.Port != "p2" || h1.AtoB.Delay != 2*units.Microsecond || h1.BtoA.Delay != 20*units.Microsecond || h1.AtoB.Bursts.Mean() == 0 {
		t.Errorf("%+v", h1)
	}
	if up.A.Port != "p1" || up.AtoB.Rate != 50*units.GbitPerSecond || up.BtoA.Rate != 100*units.GbitPerSecond || up.AtoB.Bursts.Bad != 1 || up.BtoA.Bursts.Bad != 0 {
		t.Errorf("%+v", up)
	}
	if diff := cmp.Diff([]spec.Word{{Node: "leaf", Text: "tofino", Path: "kinds.leaf.engine"}, {Node: "core", Text: "trio", Path: "kinds.router.engine"}}, lab.Engines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]spec.Word{{Node: "core", Text: "filter.mc", Path: "nodes.core.program"}}, lab.Programs); diff != "" {
		t.Error(diff)
	}
}

// The schedule goes by time, and each change starts from what the one before left.
func TestSchedule(t *testing.T) {
	lab := read(t, everything)
	course, err := linktext.Course(lab.Graph, lab.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	if len(course) != 4 || course[0].At != units.Time(units.Second) || course[0].Spec.Delay != 5*units.Microsecond {
		t.Fatalf("%+v", course)
	}
	last := course[3] // towards h1, whose drops end
	if last.To.Node != "h1" || last.Spec.Rate != 0 || last.Spec.Loses() || course[2].Spec.Script == "" || last.Spec.Delay != 20*units.Microsecond {
		t.Errorf("%+v", last)
	}
}

// Ports that links name are taken, wherever they stand; others get the next free one. Tiers follow from where
// hosts are.
func TestPortsAndTiers(t *testing.T) {
	lab := read(t, strings.NewReplacer(
		"  h1: {kind: host}\n", "  h1: {kind: host}\n  spine: {kind: switch}\n  root: {kind: switch}\n",
		"[h0, tor]", "[h0, tor]}\n  - {endpoints: [root, spine]}\n  - {endpoints: [spine:p0, tor]",
		"[h1, tor]", "[h1:eth0, tor:p1]",
	).Replace(small))
	var ends []string
	for _, l := range lab.Graph.Links {
		ends = append(ends, l.String())
	}
	if diff := cmp.Diff([]string{"h0:eth0 - tor:p0", "root:p0 - spine:p1", "spine:p0 - tor:p2", "h1:eth0 - tor:p1"}, ends); diff != "" {
		t.Error(diff)
	}
	for i, want := range []int{0, 0, 0, 1, 2} {
		if n := lab.Graph.Nodes[i]; n.Tier != want {
			t.Errorf("%s is at tier %d, want %d", n.Name, n.Tier, want)
		}
	}
}

// What a file leaves out is its caller's; what it says counts.
func TestBase(t *testing.T) {
	base := spec.Base{Link: topo.LinkSpec{Rate: units.GbitPerSecond, Loss: 0.5}, Uplink: topo.LinkSpec{Delay: units.Second}, MTU: 1500}
	lab, err := resolve(strings.Replace(small, "[h1, tor]", "[h1, tor], rate: 3Gbit/s", 1), base)
	if err != nil {
		t.Fatal(err)
	}
	if lab.Graph.MTU != 1500 || lab.Graph.Links[0].AtoB != base.Link {
		t.Errorf("%+v", lab.Graph)
	}
	if got := lab.Graph.Links[1].BtoA; got != (topo.LinkSpec{Rate: 3 * units.GbitPerSecond, Loss: 0.5}) {
		t.Errorf("%+v", got)
	}
}

// All that is wrong is said at once, the first faults of many.
func TestManyFaults(t *testing.T) {
	_, err := resolve(small+strings.Repeat("  - {endpoints: [h0, nowhere]}\n", 40), spec.Base{})
	if err == nil {
		t.Fatal("no error")
	}
	if n := strings.Count(err.Error(), "there is no node nowhere"); n != 20 || !strings.HasSuffix(err.Error(), "f: and 20 more") {
		t.Errorf("%d faults are told of 40: %v", n, err)
	}
}

// No text makes the reader panic, and what it takes is a graph that stands.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(everything)
	f.Add(strings.Replace(small, "[h0, tor]", "[h0:, :tor]", 1))
	f.Add("nodes: {h0: {kind: chassis, cards: [{pfes: -1, ports: 9999999}]}}")
	f.Fuzz(func(t *testing.T, text string) {
		lab, err := resolve(text, spec.Base{})
		if err != nil {
			return
		}
		if err := lab.Graph.Validate(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	})
}
