package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// halfRange is SwitchML §4.6: which floats of 16 bits the program for them adds, and whether one for
// all of them fits a switch.
func halfRange() experiment.Experiment {
	const id = "switchml.s4.6.fp16-range"
	return experiment.Experiment{
		ID: id, Title: "exponents of 16-bit floats that the emulated pipeline adds, and whether all would fit",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{id},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			added, err := exponentsAdded()
			if err != nil {
				return f, err
			}
			_, err = fit.Place(pipeline.HalfOfAll())
			refused := fit.Refusals(err)
			m := claims.Group(map[string]claims.Measured{
				"exponents_pct": claims.Number(100 * float64(added) / halfExponents), "all_fit": claims.Bool(err == nil),
			})
			if len(refused) > 0 {
				m = m.Noting("of %d exponents %d; with all of them %s", halfExponents, added, refused[0].What)
			}
			f.Set(id, m)
			return f, nil
		},
	}
}

// Of a float of 16 bits (IEEE 754 binary16): exponents of finite numbers, and bits of the
// mantissa.
const (
	halfExponents = 31
	halfMantissa  = 10
)

// exponentsAdded counts exponents whose numbers come back from an emulated chip as they
// were sent by its only worker.
func exponentsAdded() (added int, err error) {
	e, err := pipeline.New(rig.SwitchMLConfig(rig.SwitchMLJob(1, 0, 1, 1, 1)), pipeline.Options{Half: true})
	if err != nil {
		return 0, err
	}
	const words = pipeline.HalfElements / 2 // of two floats each
	r := rig.NewSwitchMLOn(e, 1, 1, words)
	for code := range int32(halfExponents) {
		v := code<<halfMantissa | 1<<halfMantissa/3
		out := r.Send(0, 0, added, v<<16|v)
		switch {
		case len(out) == 0: // rejected: the slot waits for another packet
		case len(out) == 1 && out[0].Value == v<<16|v:
			added++
		default:
			return 0, fmt.Errorf("the float %#04x comes back as %#08x", v, out[0].Value)
		}
	}
	return added, r.Err
}
