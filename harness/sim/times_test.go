package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// rest is a long time: the watchdog would call workers stuck, and the run endless, that
// stood still for so long without saying why.
const rest = 3000 * units.Second

// checkTimes wants the samples of a job to lie between its start and its pauses.
func checkTimes(t *testing.T, j *job.Job, c result.Cell) {
	t.Helper()
	last := make([]units.Time, len(j.Hosts()))
	for w := range last {
		last[w] = units.Time(j.Times.Start)
	}
	for _, s := range c.Samples {
		want := last[s.Worker]
		if s.Iteration > 0 && s.Iteration%j.Times.Every == 0 {
			want = want.Add(j.Times.Off)
		}
		if s.Start != want || s.End.Sub(s.Start) > units.Second {
			t.Errorf("%s worker %d: iteration %d from %v to %v, want it to begin at %v", j.System.Name(), s.Worker, s.Iteration, s.Start, s.End, want)
		}
		last[s.Worker] = s.End
	}
}

// Jobs of all systems start late and pause, and every sum is right; iterations take the
// time that they take without pauses, nearly (TCP is slower after a rest), and nobody
// calls a pause a stall.
func TestJobsStartLateAndPause(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, j := range jobs(t, "iterations=7", "stragglers.p=[0%]") {
		plain := run(t, j, im)
		j.Times = worker.Times{Start: rest, Every: 3, Off: rest}
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked != uint64(j.Params*6*7) || len(c.Samples) != 6*7 {
			t.Errorf("%s: %d of %d values wrong, %d samples; %v", j.System.Name(), c.Wrong, c.Checked, len(c.Samples), c.Notes)
		}
		checkTimes(t, j, c)
		if got, want := meanMs(c), meanMs(plain); got > 1.01*want || got < 0.99*want {
			t.Errorf("%s: an iteration takes %.3f ms, without pauses %.3f", j.System.Name(), got, want)
		}
	}
}

// A straggler that sleeps into a pause, or through it, leaves all sums right.
func TestStragglersAndPauses(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, off := range []units.Duration{units.Millisecond, 100 * units.Millisecond} {
		for _, j := range jobs(t, "iterations=12", "stragglers.p=[30%]", "systems=[{system: trioml}]") {
			j.Times = worker.Times{Every: 2, Off: off}
			if c := run(t, j, im); c.Wrong != 0 || c.Checked != uint64(j.Params*6*12) || len(c.Samples) != 6*12 {
				t.Errorf("pauses of %v: %d of %d values wrong, %d samples; %v", off, c.Wrong, c.Checked, len(c.Samples), c.Notes)
			}
		}
	}
}

// While one job of a lab pauses, the other has the switch for itself. Rounds of a job
// that pauses are simulated, each of them.
func TestJobsTakeTurns(t *testing.T) {
	p := sharedPlan(t, "rack", 6)
	sys := trioml.System{Grads: 256, Window: 16_000}
	jobs := []*job.Job{tenant(t, p, 1, sys, 0, 0, 5, 2), tenant(t, p, 2, sys, 0, 4, 3, 1)}
	jobs[1].Times = worker.Times{Start: rest, Every: 4, Off: rest}
	cells, tenants := together(t, jobs...)
	for i, c := range cells {
		if c.Wrong != 0 || c.Checked != uint64(3*6*jobs[i].Params) {
			t.Errorf("job %d: %d of %d values wrong", i+1, c.Wrong, c.Checked)
		}
	}
	checkTimes(t, jobs[1], cells[1])
	if tenants.Turns() != 1 {
		t.Errorf("packets of the jobs take turns %d times, want one", tenants.Turns())
	}
}

func TestRoundsOfPausingJobsAreSimulated(t *testing.T) {
	p := sharedPlan(t, "rack", 3)
	j := tenant(t, p, 1, trioml.System{Grads: 256, Window: 16_000}, 0, 0, 1, 2)
	spec := j.Spec
	spec.Replay, spec.MiniBatch, spec.Iterations = true, 0, 9
	for times, charged := range map[worker.Times]bool{{}: true, {Start: 1}: false, {Every: 2, Off: 1}: false} {
		spec.Times = times
		j, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Wrong != 0 || (c.Work.Charged > 0) != charged {
			t.Errorf("%+v: %d rounds charged, %d values wrong", times, c.Work.Charged, c.Wrong)
		}
	}
}
