package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/gen"
)

// Two chassis below a third. The PFE of a worker that is away for 1 s tells of it, its chassis and
// the one above pass that on, and all workers of both chassis hear of it; of a chassis from which
// nothing comes the one above tells. The others divide the mini-batches, all from one generation
// on.
func TestWorkersReshardOverDevices(t *testing.T) {
	sim.OneGoroutine(t)
	for name, tc := range map[string]struct {
		away      []int
		reference bool
	}{
		"one worker": {away: []int{5}}, "one worker, reference": {away: []int{5}, reference: true}, "a chassis": {away: []int{4, 5, 6, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := overhear(&program.Stragglers{Look: 100 * units.Millisecond, PermanentAfter: 3}, program.AgeAbsent)
			sys.PFE.Reference = tc.reference
			j := absence(t, sys, func(s *job.Spec) {
				s.Plan, s.Outages = fabric(t, "chassis-leaf-spine", gen.Params{Leaves: 2, Spines: 1}), away(tc.away...)
			})
			c := run(t, j, images(t))
			if c.Wrong != 0 || c.Checked != uint64(j.Params*8*60) {
				t.Errorf("%d of %d values are wrong; %v", c.Wrong, c.Checked, c.Notes)
			}
			var want trace.Mask
			for _, w := range tc.away {
				want.Set(uint8(w))
			}
			for gen, views := range sys.views {
				for node, m := range views {
					if m != (trace.Mask{}) && m != want {
						t.Errorf("generation %d: %s is told that %v are out of service, want %v", gen, node, m, want)
					}
				}
			}
			if divided := sys.resharded(t); divided < 5 {
				t.Errorf("shares were divided in %d generations, which all have to agree on", divided)
			}
			if n := sum(c, "h", trioml.CountNoticeLate); n != 0 {
				t.Errorf("%d notices are too late", n)
			}
			for _, kind := range []string{trioml.CountPermanent, trioml.CountBack} {
				sent, heard := sum(c, "mx", kind)+sum(c, "spine", kind), sum(c, "h", kind)
				if sent == 0 || heard != 8*sent {
					t.Errorf("%s: %d sent, %d heard by 8 workers", kind, sent, heard)
				}
			}
			if n := sum(c, "spine", program.CountRelayed); (n == 0) != (len(tc.away) > 1) {
				t.Errorf("the highest chassis relays %d notices", n)
			}
		})
	}
}
