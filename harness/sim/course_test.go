package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// act is an action at a time in milliseconds.
func act(ms int, verb job.Verb, node string) job.Action {
	return job.Action{At: units.Duration(ms) * units.Millisecond, Verb: verb, Node: node}
}

// direct runs a training of four workers, on hosts h0 to h3 of six, through a course.
func direct(t *testing.T, sys job.System, iterations int, actions ...job.Action) result.Cell {
	t.Helper()
	spec := tenantSpec(t, sharedPlan(t, "rack", 6), sys)
	spec.Iterations, spec.Actions = iterations, actions
	spec.On = []int{0, 1, 2, 3}
	if job.Servers(sys, 3) > 0 {
		spec.On, spec.Servers = nil, 3
	}
	if _, ok := sys.(ring.System); ok {
		spec.On = nil
	}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := job.NewSet(j)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), s, images(t), sim.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return cells[0]
}

// iterationsOf returns the iterations of which a worker has a sample.
func iterationsOf(c result.Cell, w int) (out []int) {
	for _, s := range c.Samples {
		if s.Worker == w {
			out = append(out, s.Iteration)
		}
	}
	return out
}

// A worker that is killed is missed by the sums of Trio-ML, which age out; it comes back on
// its host or on another one, and all sums are right.
func TestWorkerComesBack(t *testing.T) {
	back := act(150, job.Start, "h1")
	spare := back
	spare.On = "h5"
	for name, start := range map[string]job.Action{"same host": back, "spare host": spare} {
		t.Run(name, func(t *testing.T) {
			c := direct(t, trioml.System{Timeout: units.Millisecond}, 60, act(30, job.Kill, "h1"), start)
			if c.Ended != nil || c.Wrong != 0 || c.Checked == 0 {
				t.Fatalf("ended %+v, %d of %d wrong, %q", c.Ended, c.Wrong, c.Checked, c.Notes)
			}
			all := make([]int, 60)
			for i := range all {
				all[i] = i
			}
			if got := iterationsOf(c, 0); !slices.Equal(got, all) {
				t.Errorf("worker 0 has iterations %v", got)
			}
			got := iterationsOf(c, 1)
			from := c.Away[0].From
			k := slices.IndexFunc(got, func(i int) bool { return i >= from })
			if k <= 0 || k == len(got) || got[len(got)-1] != 59 || !slices.Equal(got[k:], all[got[k]:]) || got[k]-from < 2 {
				t.Fatalf("worker 1, away from %d on, has iterations %v", from, got)
			}
			for _, s := range c.Samples { // degraded while it is away, and not once it is back
				away := s.Iteration > from && s.Iteration < got[k]
				if s.Worker == 0 && (s.Iteration < from || s.Iteration > got[k]) && s.Degraded > 0 || s.Worker == 0 && away && s.Degraded == 0 {
					t.Errorf("iteration %d has %d degraded blocks, away from %d to %d", s.Iteration, s.Degraded, from, got[k])
				}
			}
		})
	}
}

// Where a system does not go on, the job ends with the reason, and what it did is right.
func TestNamedEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		system job.System
		action job.Action
		want   string
	}{
		"worker of SwitchML": {switchml.System{Retransmit: true}, act(100, job.Kill, "h1"), "switchml256 waits for the gradients of all workers"},
		"worker of a ring":   {ring.System{}, act(100, job.Stop, "h1"), "ring waits for the gradients of all workers"},
		"server":             {ps.System{Dedicated: true}, act(100, job.Kill, "h4"), "server h4 was killed: the sums that it held are lost"},
		"switch of Trio-ML":  {trioml.System{}, act(100, job.Kill, "tor"), "switch tor was killed: the blocks that it held are lost, and Trio-ML sends nothing again"},
	} {
		t.Run(name, func(t *testing.T) {
			c := direct(t, tc.system, 400, tc.action, act(200, job.Start, tc.action.Node))
			if c.Ended == nil || !strings.Contains(c.Ended.Reason, tc.want) || c.Ended.At != units.Time(tc.action.At) {
				t.Fatalf("%+v, want %q", c.Ended, tc.want)
			}
			if c.Wrong != 0 || c.Checked == 0 || len(c.Samples) == 0 {
				t.Errorf("%d samples, %d of %d wrong: %q", len(c.Samples), c.Wrong, c.Checked, c.Notes)
			}
			for _, s := range c.Samples {
				if s.End > c.Ended.At {
					t.Errorf("iteration %d ended at %v", s.Iteration, s.End)
				}
			}
		})
	}
}

// A switch that comes back has lost frames and no more: byte streams send them again.
func TestSwitchComesBack(t *testing.T) {
	for _, verb := range []job.Verb{job.Kill, job.Stop} {
		c := direct(t, ring.System{}, 60, act(30, verb, "tor"), act(50, job.Start, "tor"))
		if c.Ended != nil || c.Wrong != 0 || c.Checked == 0 || len(c.Samples) != 60*6 {
			t.Errorf("%s: ended %+v, %d of %d wrong, %d samples", verb, c.Ended, c.Wrong, c.Checked, len(c.Samples))
		}
		lives := 0
		for _, l := range c.Links {
			if l.Name == c.Links[0].Name {
				lives++
			}
		}
		if want := map[job.Verb]int{job.Kill: 1, job.Stop: 2}[verb]; lives != want {
			t.Errorf("%s: links of %d lives, want %d", verb, lives, want)
		}
	}
}

// A worker that comes back when too few iterations are left is named, and one that never
// computed does not count in the mean time of a compute.
func TestWorkerComesBackTooLate(t *testing.T) {
	sys := trioml.System{Timeout: units.Millisecond}
	all, without := direct(t, sys, 12), direct(t, sys, 12, act(0, job.Kill, "h1"))
	end := int(without.Samples[len(without.Samples)-1].End / units.Time(units.Millisecond))
	c := direct(t, sys, 12, act(0, job.Kill, "h1"), act(end-1, job.Start, "h1"))
	if c.Wrong != 0 || !slices.Contains(c.Course, "h1 does not take part again: too few iterations are left to hand a model over") {
		t.Errorf("%d wrong, course %q", c.Wrong, c.Course)
	}
	if c.Compute != all.Compute || c.Compute == 0 {
		t.Errorf("a compute takes %v, without the course %v", c.Compute, all.Compute)
	}
}

// Two runs of one course are one.
func TestCourseIsDeterministic(t *testing.T) {
	run := func() result.Cell {
		return direct(t, trioml.System{Timeout: units.Millisecond}, 20, act(10, job.Kill, "h1"), act(30, job.Start, "h1"))
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Error(diff)
	}
}

// A worker that ends again before it is given a model, one that comes back twice, and a job
// that loses one worker after the other.
func TestWorkersComeAndGo(t *testing.T) {
	spare := act(60, job.Start, "h1")
	spare.On = "h5"
	sys := trioml.System{Timeout: units.Millisecond}
	c := direct(t, sys, 60, act(30, job.Kill, "h1"), act(40, job.Start, "h1"), act(41, job.Kill, "h1"), spare, act(120, job.Stop, "h5"), act(130, job.Start, "h5"))
	if c.Ended != nil || c.Wrong != 0 || len(c.Away) != 3 || slices.Max(iterationsOf(c, 1)) != 59 {
		t.Errorf("ended %+v, %d wrong, away %v, worker 1 has iterations %v: %q", c.Ended, c.Wrong, c.Away, iterationsOf(c, 1), c.Notes)
	}
	c = direct(t, sys, 60, act(30, job.Kill, "h1"), act(40, job.Kill, "h2"), act(50, job.Kill, "h0"), act(60, job.Kill, "h3"))
	if c.Ended == nil || c.Ended.At != units.Time(60*units.Millisecond) || !strings.Contains(c.Ended.Reason, "no worker is left") || c.Wrong != 0 {
		t.Errorf("ended %+v, %d wrong", c.Ended, c.Wrong)
	}
}

// The worker whose model was promised ends too: another one hands over its own. Where none is
// left that has the model, the job ends.
func TestPeersOfNewcomersEnd(t *testing.T) {
	sys := trioml.System{Timeout: units.Millisecond}
	kill := act(30, job.Kill, "h1")
	c := direct(t, sys, 60, kill, act(40, job.Start, "h1"), act(41, job.Kill, "h0"), act(42, job.Kill, "h2"))
	if got := iterationsOf(c, 1); c.Ended != nil || c.Wrong != 0 || slices.Max(got) != 59 {
		t.Errorf("ended %+v, %d wrong, worker 1 has iterations %v: %q", c.Ended, c.Wrong, got, c.Course)
	}
	c = direct(t, sys, 60, kill, act(40, job.Start, "h1"), act(41, job.Kill, "h0"), act(42, job.Kill, "h2"), act(43, job.Kill, "h3"))
	if c.Ended == nil || c.Ended.Reason != "no worker is left that has the model" || c.Wrong != 0 {
		t.Errorf("ended %+v, %d wrong: %q", c.Ended, c.Wrong, c.Course)
	}
}
