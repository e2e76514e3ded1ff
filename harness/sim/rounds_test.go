package sim_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// replay is a job at 100 Gbit/s that trains nothing.
func replay(t testing.TB, sys job.System, topology string, scale, iterations int, p float64, exact bool) *job.Job {
	t.Helper()
	g, err := gen.ByName(topology, gen.Params{Hosts: 6, Link: topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}})
	if err != nil {
		t.Fatal(err)
	}
	pl, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.New(job.Spec{
		System: sys, Plan: pl, Model: model, Scale: scale, Iterations: iterations, Seed: 3, StraggleP: p, Virtual: true,
		Replay: true, Sample: gradient.Sampling{Every: 64}, Exact: exact,
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func replayed(t testing.TB, j *job.Job) result.Cell {
	t.Helper()
	c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Wrong != 0 || c.Checked == 0 {
		t.Errorf("%d of %d values wrong; %v", c.Wrong, c.Checked, c.Notes)
	}
	return c
}

// Rounds that are charged take the times that they take packet by packet, to the
// picosecond, with stragglers and without.
func TestChargedRoundsAreExact(t *testing.T) {
	sim.OneGoroutine(t)
	trio := trioml.System{AddRate: 192 * units.GbitPerSecond} // 6e9 additions of 32 bits a second (Trio §6.3)
	for _, c := range []struct {
		sys      job.System
		topology string
		p        float64
		least    int // rounds of 20 that must be charged, or nothing is tested
	}{
		{switchml.System{Elements: 256}, "rack", 0, 17},
		{switchml.System{Elements: 256}, "rack", 0.16, 8},
		{trio, "mx480", 0, 17},
		{trio, "mx480", 0.16, 2},
		{trio, "rack", 0.08, 4},
		{trioml.System{Age: program.AgeAbsent}, "mx480", 0.16, 2},
	} {
		t.Run(fmt.Sprintf("%s-%s-%g", c.sys.Name(), c.topology, c.p), func(t *testing.T) {
			if c.p > 0 {
				long(t)
			}
			exact := replayed(t, replay(t, c.sys, c.topology, 20, 20, c.p, true))
			fast := replayed(t, replay(t, c.sys, c.topology, 20, 20, c.p, false))
			if diff := cmp.Diff(exact.Samples, fast.Samples); diff != "" {
				t.Errorf("samples differ (-packet by packet +charged):\n%s", diff)
			}
			if fast.Work.Charged < c.least || fast.Work.Rounds+fast.Work.Charged != 20 || exact.Work.Charged != 0 {
				t.Errorf("%d rounds of 20 charged, want %d or more; packet by packet %d", fast.Work.Charged, c.least, exact.Work.Charged)
			}
			t.Logf("%+v", fast.Work)
		})
	}
}

// long skips a test under the race detector, which makes it many times slower and finds nothing
// in a run of one goroutine: "make race" asks for short tests.
func long(t *testing.T) {
	t.Helper()
	sim.OneGoroutine(t)
}
