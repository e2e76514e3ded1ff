package sim

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// waiting is every system that waits for all workers, without timers that go off meanwhile, and how many
// times the analytic time its packets may take. Steps of byte streams follow one another, with what windows
// hold on slower lines between them; acknowledgements to a server alone wait behind gradients.
var waiting = []struct {
	job.System
	most float64
}{
	{ring.System{Transport: stream.RoCE}, 1.5},
	{halving.System{Transport: stream.RoCE}, 1.7},
	{ps.System{Transport: stream.RoCE}, 1.7},
	{ps.System{Transport: stream.RoCE, Dedicated: true}, 1.7},
	{ps.System{Transport: stream.RoCE, Count: 1}, 2},
	{ps.System{Transport: stream.RoCE, Dedicated: true, Count: 1}, 2},
	{byteps.System{Transport: stream.RoCE}, 2},
	{tcpagg.System{Transport: stream.RoCE}, 2},
	{switchml.System{Elements: 256, Unscaled: true}, 1.15},
	{switchml.System{Transport: switchml.RoCE}, 1.15},
	{trioml.System{NoAging: true}, 1.15},
	{atp.System{Unscaled: true, Timeout: units.Second}, 1.15},
}

// unequal draws a job whose hosts have links and paces of their own.
func unequal(t *testing.T, r *rng.Stream, sys job.System, paces bool) *job.Job {
	t.Helper()
	const workers = 4
	servers := job.Servers(sys, workers)
	link := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: 500 * units.Nanosecond, Queue: 64 * units.MiB}
	g, err := gen.ByName("rack", gen.Params{Hosts: workers + servers, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Links {
		rate := []units.Rate{25, 40, 100}[r.IntN(3)] * units.GbitPerSecond
		g.Links[i].AtoB.Rate, g.Links[i].BtoA.Rate = rate, rate
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{
		System: sys, Plan: p, Servers: servers, Model: profiles.Profile{Name: "tensor", SizeMiB: 2, Compute: units.Millisecond},
		Scale: 1, Iterations: 2, Seed: 1, Virtual: true, Replay: true, Sample: gradient.Sampling{Every: 64},
	}
	for range workers {
		if paces {
			spec.Paces = append(spec.Paces, job.Pace{Factor: []float64{1, 1.2}[r.IntN(2)], Lag: units.Duration(r.IntN(500)) * units.Microsecond})
		}
	}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// period is how long after the first round the second is over.
func period(c result.Cell) units.Duration {
	var ends [2]units.Time
	for _, s := range c.Samples {
		ends[s.Iteration] = max(ends[s.Iteration], s.End)
	}
	return ends[1].Sub(ends[0])
}

// On links of unequal rates an iteration takes what is expected, and a share more. Where workers also
// compute at unequal paces, that is a bound; below it, no iteration is shorter than the slowest compute or than
// the line that is occupied longest. The last step of a ring may be on its way while the next iteration computes.
func TestUnequalHostsTakeTheirTime(t *testing.T) {
	OneGoroutine(t)
	for _, paces := range []bool{false, true} {
		for _, sys := range waiting {
			t.Run(fmt.Sprintf("%+v, paces: %v", sys.System, paces), func(t *testing.T) {
				r := rng.Root(1).Stream("hetero")
				for range 4 {
					j := unequal(t, r, sys.System, paces)
					want, bound := j.Expect()
					cell, _ := second(t, j)
					got, line := period(cell), j.Layout.Time
					if most := want + line.Scale(sys.most-1); got > most {
						t.Errorf("an iteration takes %v, more than %v: expected %v", got, most, want)
					}
					step := line / 6
					if !bound && got < want-step || got < j.SlowestCompute() || got < line-step {
						t.Errorf("an iteration takes %v, which is too short: expected %v (bound: %v), of these %v on the line", got, want, bound, line)
					}
				}
			})
		}
	}
}
