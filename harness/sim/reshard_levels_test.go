package sim_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// away are outages of 1 s, from iteration 10 on.
func away(workers ...int) (out []fault.Outage) {
	for _, w := range workers {
		out = append(out, fault.Outage{Worker: w, Iteration: 10, For: units.Second})
	}
	return out
}

// wantAbsent wants a run in which these workers were out of service from some
// generation to another, everybody agreed on which, and all heard of n notices.
func (o overheard) wantAbsent(t *testing.T, want trace.Mask, gens int) {
	t.Helper()
	var found []int
	for gen, views := range o.views {
		for node, m := range views {
			switch {
			case m == (trace.Mask{}):
			case m != want:
				t.Errorf("generation %d: %s is told that %v are out of service, want %v", gen, node, m, want)
			case !slices.Contains(found, gen):
				found = append(found, gen)
			}
		}
	}
	slices.Sort(found)
	if n := o.resharded(t); n != gens || len(found) != gens || found[gens-1]-found[0] != gens-1 {
		t.Errorf("shares were divided in generations %v, want %d in a row", found, gens)
	}
}

// Two levels: one worker below PFE 2 is away for 1 s. That PFE says so; the top one
// passes it on, and all workers hear of it, those below PFE 1 too. They divide its
// mini-batches from one generation on and give them back, with blocks that wait for
// everybody as with such that do not: once the worker is out of service none waits.
func TestWorkersReshardOverTwoLevels(t *testing.T) {
	sim.OneGoroutine(t)
	whole := run(t, absence(t, overhear(nil, program.AgePerBlock), func(s *job.Spec) { s.Plan = sharedPlan(t, "mx480", 6) }), images(t))
	for name, tc := range map[string]struct {
		age       program.AgePolicy
		reference bool
		divided   int
		// 30 ms compute: before; while blocks wait for who is away; until the notice holds,
		// as if nobody were away; with larger shares, for 6/5 of the time; with its own again.
		phases []string
	}{
		"absent after first": {age: program.AgeAbsent, divided: 25, phases: []string{"10x30", "1x48", "7x30", "25x36", "17x30"}},
		"per block":          {age: program.AgePerBlock, divided: 25, phases: []string{"10x30", "2x110", "1x30", "25x36", "22x30"}},
		"reference":          {age: program.AgePerBlock, reference: true, divided: 24, phases: []string{"10x30", "1x96", "1x98", "1x59", "1x30", "24x36", "22x30"}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := overhear(&program.Stragglers{Look: 100 * units.Millisecond, PermanentAfter: 3}, tc.age)
			sys.PFE.Reference = tc.reference
			j := absence(t, sys, func(s *job.Spec) {
				s.Plan, s.Outages = sharedPlan(t, "mx480", 6), away(4)
			})
			c := run(t, j, images(t))
			if c.Wrong != 0 || c.Checked != uint64(j.Params*6*60) {
				t.Errorf("%d of %d values are wrong; %v", c.Wrong, c.Checked, c.Notes)
			}
			for _, kind := range []string{trioml.CountPermanent, trioml.CountBack} {
				if sent, heard := sum(c, "mx480", kind), sum(c, "h", kind); sent != 1 || heard != 6 {
					t.Errorf("%s: %d sent, %d heard; want 1 and 6", kind, sent, heard)
				}
			}
			if n := sum(c, "mx480", program.CountRelayed); n != 3 {
				t.Errorf("%d notices are relayed, want 3", n)
			}
			if n := sum(c, "h", trioml.CountNoticeLate); n != 0 {
				t.Errorf("%d notices are too late", n)
			}
			sys.wantAbsent(t, trace.Mask{1 << 4}, tc.divided)
			if diff := cmp.Diff(tc.phases, phases(c)); diff != "" {
				t.Errorf("iteration times in ms (-want +got):\n%s", diff)
			}
			if first, last := loss(c, 0, 5), loss(c, 55, 60); !(last < 0.8*first) {
				t.Errorf("the loss went from %v to %v", first, last)
			}
			wantAccuracy(t, c, whole)
		})
	}
}

// wantAccuracy wants a model that gets about as much right as that of another run.
func wantAccuracy(t *testing.T, c, other result.Cell) {
	t.Helper()
	if got, want := accuracy(c), accuracy(other); got < want-0.03 || got > want+0.03 {
		t.Errorf("the model gets %v right, where nobody was away %v", got, want)
	}
}

// accuracy returns what the model gets right at the end.
func accuracy(c result.Cell) (share float64) {
	for _, s := range c.Samples {
		if s.Accuracy != nil {
			share = *s.Accuracy
		}
	}
	return share
}

// All workers below PFE 2 are away for 1 s. Nobody is left there to tell of them:
// the top PFE tells of the PFE, and the others divide the mini-batches of all of
// them. When they are back, likewise.
func TestWorkersReshardForAWholePFE(t *testing.T) {
	for age, tc := range map[program.AgePolicy]struct {
		divided int
		phases  []string
	}{
		program.AgeAbsent:   {14, []string{"10x30", "1x79", "9x30", "14x60", "26x30"}},
		program.AgePerBlock: {12, []string{"10x30", "1x253", "1x140", "1x30", "12x60", "35x30"}},
	} {
		t.Run(string(age), func(t *testing.T) {
			sys := overhear(&program.Stragglers{Look: 100 * units.Millisecond, PermanentAfter: 3}, age)
			j := absence(t, sys, func(s *job.Spec) {
				s.Plan, s.Outages = sharedPlan(t, "mx480", 6), away(3, 4, 5)
			})
			c := run(t, j, images(t))
			if c.Wrong != 0 || c.Checked != uint64(j.Params*6*60) {
				t.Errorf("%d of %d values are wrong; %v", c.Wrong, c.Checked, c.Notes)
			}
			for _, kind := range []string{trioml.CountPermanent, trioml.CountBack} {
				if sent, heard := sum(c, "mx480", kind), sum(c, "h", kind); sent != 1 || heard != 6 {
					t.Errorf("%s: %d sent, %d heard; want 1 and 6", kind, sent, heard)
				}
			}
			sys.wantAbsent(t, trace.Mask{0b111000}, tc.divided)
			if diff := cmp.Diff(tc.phases, phases(c)); diff != "" {
				t.Errorf("iteration times in ms (-want +got):\n%s", diff)
			}
		})
	}
}
