package virtual

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
)

// Training of the surrogate: the straggler scenario's network on its images, at
// its scale, since ImageNet is out of reach. All of it is assumed.
const (
	surrogateScale      = 200
	surrogateIterations = 120
	surrogateMargin     = 0.75 // of SwitchML's iterations, at whose end its loss is the target
	surrogateWindow     = 15   // iterations that the loss is averaged over
)

// surrogateSeeds is how many runs the penalty is averaged over.
func surrogateSeeds(e *experiment.Env) int { return experiment.Cut(e, 6, 2) }

// penalty measures what partial sums cost in iterations: how many more Trio-ML
// needs than SwitchML to bring the surrogate to the same loss, stragglers at the
// last probability.
func (s *sweep) penalty(ctx context.Context, trio trioml.System, model string) (ratio float64, err error) {
	var jobs []*job.Job
	for seed := range surrogateSeeds(s.env) {
		for _, c := range []struct {
			sys      job.System
			topology string
		}{{switchml.System{Elements: 256}, "rack"}, {trio, "mx480"}} {
			j, err := s.surrogate(c.sys, c.topology, model, s.env.Seed+rng.Root(seed))
			if err != nil {
				return 0, err
			}
			jobs = append(jobs, j)
		}
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i := 0; i < len(cells); i += 2 {
		r, err := iterationsRatio(cells[i], cells[i+1])
		if err != nil {
			return 0, fmt.Errorf("training the surrogate of %s: %w", model, err)
		}
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(cells)/2)), nil
}

func (s *sweep) surrogate(sys job.System, topology, name string, seed rng.Root) (*job.Job, error) {
	p, err := network{topology: topology, hosts: 6, rate: 100 * units.GbitPerSecond / surrogateScale}.plan(s.env)
	if err != nil {
		return nil, err
	}
	return job.New(job.Spec{
		System: sys, Plan: p, Model: testbed.Model(s.env, name), Scale: surrogateScale, Iterations: surrogateIterations, Seed: seed, Virtual: true,
		StraggleP: testbed.LastP, Semantics: fault.Semantics(s.env.Reading("trio.straggle-semantics")),
	})
}

// iterationsRatio returns how many times the iterations of one run the other
// needs to come down to the loss that the first has at three quarters of its way.
func iterationsRatio(first, second result.Cell) (float64, error) {
	a, b := lossCurve(first), lossCurve(second)
	at := int(surrogateMargin * float64(len(a)))
	if at >= len(a) {
		return 0, fmt.Errorf("%d iterations with a loss are too few", len(a))
	}
	target := a[at]
	n := slices.IndexFunc(a, func(v float64) bool { return v <= target })
	m := slices.IndexFunc(b, func(v float64) bool { return v <= target })
	if n < 0 || m < 0 {
		return 0, fmt.Errorf("%s does not come down to a loss of %.3f in %d iterations", second.System, target, second.Iterations)
	}
	return float64(m+surrogateWindow) / float64(n+surrogateWindow), nil
}

// lossCurve returns the training loss, averaged over the workers and a window of
// iterations.
func lossCurve(c result.Cell) (out []float64) {
	sum, n := make([]float64, c.Iterations), make([]float64, c.Iterations)
	for _, s := range c.Samples {
		if s.Loss != nil {
			sum[s.Iteration] += *s.Loss
			n[s.Iteration]++
		}
	}
	for end := surrogateWindow; end <= c.Iterations; end++ {
		total, count := 0.0, 0.0
		for i := end - surrogateWindow; i < end; i++ {
			total, count = total+sum[i], count+n[i]
		}
		if count > 0 {
			out = append(out, total/count)
		}
	}
	return out
}

// accuracyClaims adds what Fig 12 claims: the speed-up to an accuracy is that of
// an iteration, less what partial sums cost in iterations.
func (s *sweep) accuracyClaims(ctx context.Context, rows []compare.Row, f *experiment.Findings) error {
	s.env.Note("training the surrogate")
	t := claims.Table{
		ID: "trio.fig12", Title: "Time to accuracy under stragglers at p = 16%",
		Columns: []claims.Column{{Name: "model"}, {Name: "Trio-ML"}, {Name: "speed-up of an iteration"}, {Name: "iterations needed, over SwitchML's"}, {Name: "speed-up to accuracy"}},
		Notes: []string{
			"The second factor is measured on a surrogate (two-layer network, Fashion-MNIST, 1/200 of the model's size), mean of " +
				fmt.Sprint(surrogateSeeds(s.env)) + " seeds; ImageNet is out of reach.",
			"Both factors are of runs on the reference programs.",
			fmt.Sprintf("%q is Trio-ML in the other reading of trio.close-to-ideal. No claim rests on it.", otherLine(s.env)),
		},
	}
	shares := map[string]float64{}
	for _, m := range trioModels {
		for _, on := range []struct {
			line string
			sys  trioml.System
		}{{trioLine, trioSystem(s.env)}, {otherLine(s.env), otherAgeing(s.env)}} {
			r, err := testbed.Row(rows, on.line, m, testbed.LastP)
			if err != nil {
				return err
			}
			cost, err := s.penalty(ctx, on.sys, m)
			if err != nil {
				return err
			}
			t.Add(render.Text(m), render.Text(on.line), render.Number(r.Speedup.Value, 3), render.Number(cost, 3), render.Number(r.Speedup.Value/cost, 3))
			if on.line == trioLine {
				f.Set(claims.ID("trio.fig12."+m+".tta.p16"), claims.Number(r.Speedup.Value/cost).On(trioModel+"; surrogate for the iterations needed"))
				shares[m] = 1 / cost
			}
		}
	}
	f.Set("trio.fig12.order.tta-below-iter", claims.NumberParts(shares).On(trioModel+"; surrogate for the iterations needed"))
	f.Tables = append(f.Tables, t)
	return nil
}
