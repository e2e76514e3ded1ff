package stall

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

func newJob(t *testing.T, system job.System, topology string) *job.Job {
	t.Helper()
	link := topo.LinkSpec{Rate: units.GbitPerSecond}
	p := chassistest.Plan(t, topology, gen.Params{Hosts: 4, Link: link, Fabric: link})
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.New(job.Spec{System: system, Plan: p, Model: model, Scale: 2000, Iterations: 2, Seed: 1, Virtual: true})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func mask(sources ...uint8) (m trace.Mask) {
	for _, s := range sources {
		m.Set(s)
	}
	return m
}

// reducing is a worker that waits for packets of generation 7, block 1.
func reducing(node string, sent bool) worker.Snapshot {
	return worker.Snapshot{Node: node, State: worker.StateReducing, Iteration: 7, Waits: []trace.Wait{{Gen: 7, Block: 1, Sent: sent}}}
}

// The hop is found on two levels, whoever is to blame.
func TestDiagnosisOnTwoLevels(t *testing.T) {
	j := newJob(t, trioml.System{}, "mx480")
	top := j.Layout.Top()
	sources := slices.Sorted(maps.Keys(top.Sources))
	if len(sources) != 2 {
		t.Fatalf("engines %v: the test is written for hosts on two PFEs", top.Sources)
	}
	first, second := top.Sources[sources[0]], top.Sources[sources[1]]
	open := func(node string, have, want trace.Mask) chassis.EngineState {
		return chassis.EngineState{Node: node, Sources: want, Open: []dataplane.OpenBlock{{Gen: 7, Block: 1, Have: have, Want: want}}}
	}
	idle := func(node string, sources trace.Mask) chassis.EngineState {
		return chassis.EngineState{Node: node, Sources: sources}
	}
	waits := open(top.Node, mask(sources[0]), mask(sources...))
	lost := chassis.LinkState{Name: "up", From: "h2", To: "mx480", In: 9, Out: 8}
	fabric := chassis.LinkState{Name: "fabric", From: second, To: top.Node, In: 9, Out: 7, Inside: 1}
	all := func(h2 worker.Snapshot) []worker.Snapshot {
		return []worker.Snapshot{reducing("h0", true), reducing("h1", true), h2, reducing("h3", true)}
	}
	asleep := worker.Snapshot{Node: "h2", State: worker.StateDelayed, Iteration: 7, Until: units.Time(units.Second)}
	for name, tc := range map[string]struct {
		s    Snapshot
		want string
	}{
		"lost below": {
			Snapshot{Switches: []chassis.Snapshot{{Links: []chassis.LinkState{lost}, Engines: []chassis.EngineState{idle(first, mask(0, 1)), open(second, mask(3), mask(2, 3)), waits}}}, Workers: all(reducing("h2", true))},
			"block 1 of iteration 7 at " + second + " waits for h2: it has 0b10 (1 of 2); first hop without packets: up (9 frames in, 8 out)",
		},
		"not sent": {
			Snapshot{Switches: []chassis.Snapshot{{Engines: []chassis.EngineState{idle(first, mask(0, 1)), open(second, mask(3), mask(2, 3)), waits}}}, Workers: all(asleep)},
			"waits for h2: it has 0b10 (1 of 2); first hop without packets: h2 (it has not sent it: asleep until 1s in iteration 7)",
		},
		"lost on the fabric": {
			Snapshot{Switches: []chassis.Snapshot{{Links: []chassis.LinkState{fabric}, Engines: []chassis.EngineState{idle(first, mask(0, 1)), idle(second, mask(2, 3)), waits}}}, Workers: all(reducing("h2", true))},
			"at " + top.Node + " waits for " + second + ": it has 0b01 (1 of 2); first hop without packets: fabric (9 frames in, 7 out)",
		},
		"dead": {
			Snapshot{Switches: []chassis.Snapshot{{Engines: []chassis.EngineState{idle(first, mask(0, 1)), open(second, mask(3), mask(2, 3)), waits}}}, Workers: []worker.Snapshot{reducing("h0", true)}, Dead: []string{"h2"}},
			"first hop without packets: h2 (its process has ended)",
		},
		"nobody tells":  {Snapshot{Silent: []string{"h1"}}, "no worker says which packet it waits for; first hop without packets: h1 (its process does not answer); no answer from h1; events were not recorded"},
		"nothing known": {Snapshot{}, "no hop has lost a packet"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Diagnose(j, &tc.s).String(); !strings.Contains(got, tc.want) {
				t.Errorf("%s\nlacks %s", got, tc.want)
			}
		})
	}
}

// A switch below another is named as such, and the link between the two is a hop
// like any other.
func TestDiagnosisOnALeafSpine(t *testing.T) {
	j := newJob(t, switchml.System{}, "leaf-spine")
	top := j.Layout.Top()
	leaf := func(name string) uint8 {
		for s, n := range top.Sources {
			if n == name {
				return s
			}
		}
		t.Fatalf("%s has sources %v: the test is written for leaf0 and leaf1", top.Node, top.Sources)
		return 0
	}
	one, two := leaf("leaf0"), leaf("leaf1")
	open := func(node string, have, want trace.Mask) chassis.Snapshot {
		return chassis.Snapshot{Node: node, Engines: []chassis.EngineState{{Node: node, Open: []dataplane.OpenBlock{{Gen: 7, Block: 1, Have: have, Want: want}}}}}
	}
	idle := func(node string, links ...chassis.LinkState) chassis.Snapshot {
		return chassis.Snapshot{Node: node, Links: links, Engines: []chassis.EngineState{{Node: node}}}
	}
	uplink := chassis.LinkState{Name: "leaf1->spine0", From: "leaf1", To: top.Node, In: 9, Out: 7}
	downlink := chassis.LinkState{Name: "spine0->leaf1", From: top.Node, To: "leaf1", In: 9, Out: 8}
	all := []worker.Snapshot{reducing("h0", true), reducing("h1", true), reducing("h2", true), reducing("h3", true)}
	done := worker.Snapshot{Node: "h0", State: worker.StateDone, Iteration: 99}
	spine := open(top.Node, mask(one), mask(one, two))
	told := spine
	told.Last = &trace.Event{Node: top.Node, Kind: trace.Contribution, Source: one, Gen: 7, Block: 1}
	for name, tc := range map[string]struct {
		s    Snapshot
		want string
	}{
		"a host at its leaf": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), open("leaf1", mask(3), mask(2, 3)), spine}, Workers: append(all[:2:2], reducing("h2", false), all[3])},
			"at leaf1 waits for h2: it has 0b10 (1 of 2); first hop without packets: h2 (it has not sent it: ",
		},
		"nobody below": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), idle("leaf1"), spine}, Workers: append(all[:2:2], reducing("h2", false), reducing("h3", false))},
			"at " + top.Node + " waits for h2, h3: ",
		},
		"the leaf's sum": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), idle("leaf1", uplink), spine}, Workers: all},
			"at " + top.Node + " waits for leaf1: it has ",
		},
		"on the uplink": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), idle("leaf1", uplink), spine}, Workers: all},
			"first hop without packets: leaf1->spine0 (9 frames in, 7 out)",
		},
		"on the way down": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), idle("leaf1"), idle(top.Node, downlink)}, Workers: []worker.Snapshot{done, all[2], all[3]}},
			"which " + top.Node + " has sent; first hop without packets: spine0->leaf1 (9 frames in, 8 out)",
		},
		"the latest event": {
			Snapshot{Switches: []chassis.Snapshot{idle("leaf0"), idle("leaf1"), told}, Workers: all},
			"last event: 0s " + top.Node + ": contribution of leaf0, slot 1 ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Diagnose(j, &tc.s).String(); !strings.Contains(got, tc.want) {
				t.Errorf("%s\nlacks %s", got, tc.want)
			}
		})
	}
}

// Progress is what workers get done, not what they send.
func TestMovedAndIdle(t *testing.T) {
	at := func(change func(w *worker.Snapshot)) *Snapshot {
		w := reducing("h0", true)
		change(&w)
		return &Snapshot{Workers: []worker.Snapshot{w}}
	}
	before := at(func(*worker.Snapshot) {})
	for name, tc := range map[string]struct {
		after       *Snapshot
		moved, idle bool
	}{
		"sent again":     {at(func(w *worker.Snapshot) { w.Counts = 99 }), false, true},
		"a result":       {at(func(w *worker.Snapshot) { w.Waits[0].Block++ }), true, true},
		"an iteration":   {at(func(w *worker.Snapshot) { w.Iteration++ }), true, true},
		"it sleeps":      {at(func(w *worker.Snapshot) { w.State = worker.StateDelayed }), true, false},
		"it is silent":   {&Snapshot{Silent: []string{"h0"}}, false, true},
		"it is busy":     {&Snapshot{Busy: []string{"h0"}}, false, false},
		"it joins":       {at(func(w *worker.Snapshot) { w.State = worker.StateJoining }), true, true},
		"all is done":    {at(func(w *worker.Snapshot) { w.State, w.Waits = worker.StateDone, nil }), true, true},
		"nothing at all": {before, false, true},
	} {
		if moved, idle := Moved(before, tc.after), tc.after.Idle(); moved != tc.moved || idle != tc.idle {
			t.Errorf("%s: moved %v, idle %v", name, moved, idle)
		}
	}
	silent := func(n uint64) *Snapshot {
		return &Snapshot{Workers: []worker.Snapshot{{Node: "h0", State: worker.StateReducing, Counts: n}}}
	}
	if Moved(silent(1), silent(1)) || !Moved(silent(1), silent(2)) {
		t.Error("a core that does not tell what it waits for is judged by its counts")
	}
}
