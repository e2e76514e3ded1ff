package check_test

import (
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// twoTenants is two jobs of two blocks on one rack.
func twoTenants(t *testing.T) *job.Set {
	t.Helper()
	g, err := gen.ByName("rack", gen.Params{Hosts: 4, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*job.Job
	for id := range uint8(2) {
		j, err := job.New(job.Spec{
			System: trioml.System{}, Plan: p, Scale: 1, Iterations: 1, Elements: 2048, ID: id + 1, On: []int{2 * int(id), 2*int(id) + 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	s, err := job.NewSet(jobs...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Blocks are counted by engine and job: one that opens again in place of an older
// one is one, and those of another PFE are others.
func TestTenantsCountByJobAndEngine(t *testing.T) {
	s := check.NewTenants(twoTenants(t))
	for _, e := range []trace.Event{
		{Kind: trace.BlockOpened, Node: "a", Job: 1},
		{Kind: trace.Contribution, Node: "a", Job: 1},
		{Kind: trace.BlockOpened, Node: "a", Job: 2},
		{Kind: trace.Contribution, Node: "a", Job: 2},
		{Kind: trace.BlockOpened, Node: "a", Job: 1, Gen: 1}, // in place of that of generation 0
		{Kind: trace.Contribution, Node: "a", Job: 1, Gen: 1},
		{Kind: trace.BlockOpened, Node: "b", Job: 1, Block: 1},
		{Kind: trace.Contribution, Node: "b", Job: 1, Block: 1}, // no turn: the first there
		{Kind: trace.BlockSent, Node: "a", Job: 2},
		{Kind: trace.BlockOpened, Node: "a", Job: 2, Block: 1},
		{Kind: trace.BlockSent, Node: "a", Job: 2, Block: 1},
		{Kind: trace.BlockOpened, Node: "a", Job: 2, Block: 2}, // its tensor has 0 and 1
		{Kind: trace.BlockOpened, Node: "a", Job: 2, Block: 0},
		{Kind: trace.Dropped, Node: "a", Job: 2, Note: "full"},
		{Kind: trace.Dropped, Node: "a", Job: 9, Note: "unknown"}, // nobody's
	} {
		s.Event(&e)
	}
	one, two := s.Job(1), s.Job(2)
	if one.Landed != 3 || one.MostOpen != 1 || one.Strange != 0 || len(one.Dropped) != 0 {
		t.Errorf("job 1: %+v", one)
	}
	if two.Landed != 1 || two.MostOpen != 2 || two.Strange != 1 || two.Dropped["full"] != 1 || len(two.Dropped) != 1 {
		t.Errorf("job 2: %+v", two)
	}
	if s.Turns() != 2 || s.Job(9) != nil {
		t.Errorf("%d turns, want 2", s.Turns())
	}
}

// The masks of a job know nothing of the blocks of another, which have the same
// numbers at the same engine.
func TestMasksAreOfTheirJob(t *testing.T) {
	_, who, sink := check.ForJob(training(t, 2))
	var first, second trace.Mask
	first.Set(0)
	second.Set(1)
	sink.Event(&trace.Event{Kind: trace.BlockSent, Node: "tor", Job: 1, Mask: first})
	sink.Event(&trace.Event{Kind: trace.BlockSent, Node: "tor", Job: 2, Mask: second})
	if got, ok := who.Contributors(0, 0); !ok || got != second {
		t.Errorf("job 2 has %v, %v; want its own mask", got, ok)
	}
}

// training is a job that trains, whose sums are checked by masks.
func training(t *testing.T, id uint8) *job.Job {
	t.Helper()
	of := twoTenants(t).Jobs[0]
	spec := of.Spec
	spec.ID, spec.Elements = id, 0
	spec.Model.SizeMiB = 1
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}
