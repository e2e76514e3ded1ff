package trioml

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/sansio"
	host "github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
	"github.com/inalab/inalab/topo/plan"
)

// configs returns the configurations of the programs that a set has.
func configs(t *testing.T, s *job.Set) (out []program.Config) {
	t.Helper()
	for _, c := range jobtest.Programs[pfeConfig](t, s) {
		out = append(out, c.Program)
	}
	return out
}

// The paper's chassis: three servers on PFE1, three on PFE2, PFE4 on top (Trio
// §6.1). The top level waits longer than the level below (ambiguity
// trio.hier-timeout), and PFEs are its sources.
func TestTwoLevels(t *testing.T) {
	j := jobtest.New(t, jobtest.Spec(t, System{}, "mx480", 6))
	pfes := configs(t, job.Alone(j))
	if len(pfes) != 6 {
		t.Fatalf("%d PFEs", len(pfes))
	}
	leaf, top := pfes[0], pfes[3]
	if len(leaf.Jobs) != 1 || !slices.Equal(leaf.Jobs[0].Sources, []uint8{0, 1, 2}) || !slices.Equal(leaf.Jobs[0].To, []sansio.Port{dataplane.Fabric(3)}) {
		t.Errorf("PFE1 runs %+v", leaf.Jobs)
	}
	if !slices.Equal(top.Jobs[0].Sources, []uint8{pfeSource, pfeSource + 1}) || len(top.Jobs[0].To) != 6 {
		t.Errorf("PFE4 runs %+v", top.Jobs)
	}
	if above, below := top.Jobs[0].Timeout, leaf.Jobs[0].Timeout; below == 0 || above < 2*below+below/2 {
		t.Errorf("the top waits %v, the level below %v", above, below)
	}
	if idle := pfes[5]; len(idle.Jobs) != 0 {
		t.Errorf("PFE6 has no servers and runs %+v", idle.Jobs)
	}
	name, below := above(j)
	if name != "mx480/pfe4" || below[pfeSource] != "mx480/pfe1" || below[pfeSource+1] != "mx480/pfe2" || len(below) != 2 {
		t.Errorf("traces come from %q over %v", name, below)
	}
}

// above returns the engine that sends results, and the engines behind its sources.
func above(j *job.Job) (top string, below map[uint8]string) {
	e := j.Layout.Top()
	return e.Node, j.Layout.Below(e)
}

// All servers on one PFE aggregate in a single level (Trio §4).
func TestOneLevel(t *testing.T) {
	for _, topology := range []string{"mx480", "rack"} {
		j := jobtest.New(t, jobtest.Spec(t, System{}, topology, 3))
		name, below := above(j)
		if topology == "rack" && (name != "tor" || len(below) != 0) {
			t.Errorf("%s: traces come from %q over %v", topology, name, below)
		}
		if topology == "mx480" && (name == "mx480/pfe4") != (len(below) > 0) {
			t.Errorf("%s: results come from %q, though the levels below it are %v", topology, name, below)
		}
		if got := j.Layout.Cores[2].(host.Config); got.Source != 2 || got.Flow.Dst != j.Plan.Switches[0].Router {
			t.Errorf("%s: worker 2 is %+v", topology, got)
		}
	}
}

// A PFE gets the record of each job that it has: its own sources by the place of
// workers, its own caps, group and ports.
func TestJobsShareAProgram(t *testing.T) {
	p := jobtest.Plan(t, "rack", 6)
	one, two := jobtest.Tenant(t, p, 0, System{}, 0, 2, 4), jobtest.Tenant(t, p, 7, System{BlockMax: 3, GradMax: 512, Grads: 256}, 5, 1)
	s, err := job.NewSet(one, two)
	if err != nil {
		t.Fatal(err)
	}
	programs := configs(t, s)
	if len(programs) != 1 || len(programs[0].Jobs) != 2 {
		t.Fatalf("programs %+v, want one with two jobs", programs)
	}
	a, b := programs[0].Jobs[0], programs[0].Jobs[1]
	if a.ID != job.DefaultID || !slices.Equal(a.Sources, []uint8{0, 1, 2}) || len(a.To) != 3 || a.BlockMax != 0 || a.Out.Dst != plan.Group(1) {
		t.Errorf("job 1 is %+v", a)
	}
	if b.ID != 7 || !slices.Equal(b.Sources, []uint8{0, 1}) || b.BlockMax != 3 || b.GradMax != 512 || b.Out.Dst != plan.Group(7) ||
		int(b.To[0]) != p.Hosts[5].SwitchPort || int(b.To[1]) != p.Hosts[1].SwitchPort {
		t.Errorf("job 7 is %+v", b)
	}
	if w := two.Workers(); len(w) != 2 || w[0].Loop.Node != "h5" || w[1].Loop.Node != "h1" || w[0].Bench.First == one.Workers()[0].Bench.First {
		t.Errorf("workers of job 7: %+v", w)
	}
	if _, err := reference.New(programs[0]); err != nil {
		t.Error(err)
	}
}

// On a chassis a job on one PFE needs one level and one on two needs two, side by
// side: a PFE that a job does not use has no record of it.
func TestJobsShareAChassis(t *testing.T) {
	p := jobtest.Plan(t, "mx480", 6)
	of := func(pfe int) (out []int) {
		for i := range p.Hosts {
			if p.Switches[0].Ports[p.Hosts[i].SwitchPort].PFE == pfe {
				out = append(out, i)
			}
		}
		return out
	}
	first, second := of(0), of(1)
	s, err := job.NewSet(jobtest.Tenant(t, p, 1, System{}, first[0], second[0]), jobtest.Tenant(t, p, 2, System{}, first[1], first[2]))
	if err != nil {
		t.Fatal(err)
	}
	var ids [][]uint8
	for _, c := range configs(t, s) {
		var of []uint8
		for _, j := range c.Jobs {
			of = append(of, j.ID)
		}
		ids = append(ids, of)
	}
	top := p.Switches[0].Chassis.Top
	for i, want := range map[int][]uint8{0: {1, 2}, 1: {1}, top: {1}} {
		if !slices.Equal(ids[i], want) {
			t.Errorf("PFE %d has jobs %v, want %v; all: %v", i, ids[i], want, ids)
		}
	}
	if got := configs(t, s)[top].Jobs[0].Timeout; got != topPatience*program.DefaultTimeout {
		t.Errorf("the top PFE ages after %v, want the time of the job that it has", got)
	}
}
