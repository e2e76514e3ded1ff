package live

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/job"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// A worker that is out of service for 1.5 s is found to be, live as under the virtual
// clock: all hear of it, the others divide its mini-batches from one generation on,
// and give them back. They do not wait for it, and every sum is right.
func TestWorkersReshard(t *testing.T) {
	heavy(t)
	system := triomlsystem.System{
		Timeout: 50 * units.Millisecond, Age: program.AgeAbsent,
		PFE: triomlsystem.PFE{Stragglers: &program.Stragglers{Look: 200 * units.Millisecond, PermanentAfter: 2}},
	}
	j := mustJob(t, scene{system: system, topology: "rack", hosts: 3, iterations: 60, change: func(s *job.Spec) {
		s.MiniBatch, s.Model.Compute = 2, 40*units.Millisecond
		s.Outages = []fault.Outage{{Worker: 1, Iteration: 8, For: 1500 * units.Millisecond}}
	}})
	cell := mustRun(t, j, options(t))
	node := func(name string) func(string) bool { return func(n string) bool { return n == name } }
	for _, name := range []string{trioml.CountPermanent, trioml.CountBack} {
		sent := counted(cell, name, node("tor"))
		for _, h := range []string{"h0", "h1", "h2"} {
			if heard := counted(cell, name, node(h)); heard != sent || sent == 0 {
				t.Errorf("%s: %s heard %d of %d", name, h, heard, sent)
			}
		}
	}
	if n := counted(cell, trioml.CountNoticeLate, nil); n != 0 {
		t.Errorf("%d notices are too late", n)
	}
	divided := counted(cell, trioml.CountResharded, node("h0"))
	other := counted(cell, trioml.CountResharded, node("h2"))
	left := slices.ContainsFunc(cell.Samples, func(s result.Sample) bool { return s.Worker != 1 && !s.Contributed })
	if divided == 0 || other == 0 || other != divided && !left { // who was held up itself left some generations out
		t.Errorf("h0 divided the shares of %d generations, h2 of %d", divided, other)
	}
	t.Logf("%d generations divided anew", divided)
}
