package unit

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/reports/claims"
)

// xaggFluid predicts when the workers of XAgg Fig 1(a) that do not wait have sent their gradients, by max-min shares
// of the PS's bandwidth.
func xaggFluid() experiment.Experiment {
	const id = "xagg.fig1.w124-done"
	return experiment.Experiment{
		ID: "xagg.fluid", Title: "when W1, W2 and W4 of the example have sent everything to the PS, by shares of its bandwidth",
		Switch:   []claims.Switch{claims.SwitchNone},
		Predicts: []claims.ID{id},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			done, err := sharedIngress(fluidExample)
			if err != nil {
				return f, err
			}
			at := max(done[0], done[1], done[3])
			f.Predict(id, claims.Prediction{
				Low: 0.99 * at, High: 1.01 * at, Model: "fluid max-min shares (nodes/xagg/rates)", Constants: []string{"shares are max-min at once", "no headers"},
				Note: fmt.Sprintf("%.4g s, 1%% either way, as of xagg.fig1.ps.time; W3 ends at %.4g s", at, done[2]),
			})
			return f, nil
		},
	}
}

// fluidWorker has a gradient to send over a link, from a time on.
type fluidWorker struct {
	begin float64 // s
	link  units.Rate
	bits  float64
}

// fluidExample is W1 to W4 of XAgg §II-A: 1.25 GB each, W2 with half of the bandwidth, W3 two seconds late.
var fluidExample = []fluidWorker{
	{0, 10 * units.GbitPerSecond, 1e10}, {0, 5 * units.GbitPerSecond, 1e10}, {2, 10 * units.GbitPerSecond, 1e10}, {0, 10 * units.GbitPerSecond, 1e10},
}

// sharedIngress returns when workers have sent everything to a PS with 10 Gbit/s.
func sharedIngress(workers []fluidWorker) (done []float64, err error) {
	done = make([]float64, len(workers))
	left := make([]float64, len(workers))
	for i, w := range workers {
		left[i] = w.bits
	}
	now := 0.0
	for range 4 * len(workers) { // each step ends a worker or begins one
		demands := make([]units.Rate, len(workers))
		step, busy := -1.0, false
		earliest := func(d float64) {
			if step < 0 || d < step {
				step = d
			}
		}
		for i, w := range workers {
			switch {
			case w.begin > now:
				earliest(w.begin - now)
			case left[i] > 1: // a bit: rates are whole bits a second
				demands[i], busy = w.link, true
			}
		}
		shares := rates.Allocate(10*units.GbitPerSecond, -1, demands)
		for i, rate := range shares {
			if rate > 0 {
				earliest(left[i] / float64(rate))
			}
		}
		if step < 0 && !busy {
			return done, nil
		}
		now += step
		for i, rate := range shares {
			if rate > 0 {
				if left[i] -= float64(rate) * step; left[i] <= 1 {
					done[i] = now
				}
			}
		}
	}
	return nil, fmt.Errorf("%d workers are not done after %.3g s", len(workers), now)
}
