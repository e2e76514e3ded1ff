package virtual

import (
	"context"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggExample is XAgg Fig 1(c): four workers of which one is slow to compute and one has half of the bandwidth.
func xaggExample() experiment.Experiment {
	const id = "xagg.fig1.xagg.time"
	return experiment.Experiment{
		ID: "xagg.fig1.xagg", Title: "XAgg on the example of four workers, one two seconds late and one with half of the bandwidth",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Quick:  "rates and the gradient divided by 200 in place of 50, times as they are",
		Run:    runXAggExample,
	}
}

// The example of XAgg §II-A: W3 is late, W2 has half of the bandwidth, and W1 to W3 are on S1.
const (
	exampleWorkers = 4
	exampleLate    = 2 // worker, from 0
	exampleNarrow  = 1
	exampleMiB     = 1192 // 1.25 GB
)

// exampleLab is XAgg on it, with links whose rates are of frames, or of gradients, as in the paper's arithmetic.
func exampleLab(e *experiment.Env, name string, gradients, free bool) treeLab {
	l := treeLab{
		name: name, sys: testbed.XAggTree(3), workers: exampleWorkers, mib: exampleMiB, scale: experiment.Cut(e, 50, 200), free: free,
		paces: make([]job.Pace, exampleWorkers),
	}
	l.paces[exampleLate].Lag = 2 * units.Second
	l.link = func(host int) units.Rate {
		rate := testbed.Gigabit10
		if host == exampleNarrow {
			rate /= 2
		}
		if gradients {
			rate = rate * units.Rate(packetOf256) / units.Rate(testbed.ValuesOf256)
		}
		return rate
	}
	return l
}

func runXAggExample(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	labs := []treeLab{
		exampleLab(e, "as printed: rates of gradients, no way down", true, true),
		exampleLab(e, "rates of frames, no way down", false, true),
		exampleLab(e, "rates of gradients, with the way down", true, false),
	}
	runs, err := runTrees(ctx, e, labs)
	if err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "xagg.fig1.xagg", Title: "XAgg on the example of Fig 1: from the first worker that has a gradient to the last that has the result",
		Columns: []claims.Column{{Name: "links"}, {Name: "time", Unit: "s"}},
		Notes: []string{
			"Without the way down, links towards workers have no limit: Fig 1 has none. With it, W2 takes results at half of the rate of the others.",
			"Negotiation takes the paper's 12 ms before the first packet.",
		},
	}
	for i := range runs {
		t.Add(render.Text(runs[i].lab.name), render.Number(runs[i].whole().Seconds(), 3))
	}
	f.Tables = []claims.Table{t}
	f.Set("xagg.fig1.xagg.time", claims.Number(runs[0].whole().Seconds()).On("XAgg's agents and stores under the virtual clock").
		Noting("with headers %.4g s; with results on the way down, which Fig 1 leaves out, %.4g s", runs[1].whole().Seconds(), runs[2].whole().Seconds()))
	return f, nil
}
