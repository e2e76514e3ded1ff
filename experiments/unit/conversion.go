package unit

import (
	"context"
	"runtime"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/reports/claims"
)

// conversion measures how fast this machine scales and converts gradients.
// Its value depends on the machine, as that of xaggPlanning does.
func conversion() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.conversion", Title: "scaling and conversion to int32 on one core of this machine",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{"switchml.s6.3.scaling-overhead-10g"},
		Quick:  "rounds of 20 ms in place of 200 ms",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			rate, err := conversionRate(ctx, e)
			if err != nil {
				return f, err
			}
			const line = 10 * 0.93 / 32 // Gelements/s at 10 Gbit/s
			m := claims.Number(rate)
			f.Set("switchml.s6.3.scaling-overhead-10g", m.On("this machine, wall clock: "+runtime.GOARCH).
				Noting("blocks of 256 values to int32 and back, the exponent included; the best of %d rounds on one core; 10 Gbit/s needs %.2f", conversionRounds, line))
			return f, nil
		},
	}
}

// conversionRounds is how often it is measured. The best round counts: others
// may run on the machine.
const conversionRounds = 5

// conversionRate returns 1e9 elements a second.
func conversionRate(ctx context.Context, e *experiment.Env) (best float64, err error) {
	const elements, block, workers = 1 << 18, 256, 8 // a tensor of 1 MiB
	grad, q, mean := make([]float32, elements), make([]int32, block), make([]float32, block)
	stream := e.Seed.Stream("switchml.conversion")
	for i := range grad {
		grad[i] = float32(stream.Normal())
	}
	round := experiment.Cut(e, 200*time.Millisecond, 20*time.Millisecond)
	for range conversionRounds {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		done, began := 0, time.Now()
		for time.Since(began) < round {
			for lo := 0; lo < elements; lo += block {
				g := grad[lo : lo+block]
				factor := gradient.BlockFactor(workers, gradient.Exponent(g))
				gradient.QuantiseBlock(q, g, factor)
				gradient.MeanBlock(mean, q, factor, workers)
			}
			done += elements
		}
		best = max(best, float64(done)/time.Since(began).Seconds()/1e9)
	}
	return best, nil
}
