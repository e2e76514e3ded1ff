package experiments

import (
	"context"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
)

// switchmlFigures are the tables and figures of the SwitchML paper that runs
// under the virtual clock check, and those of the Trio paper that are about
// SwitchML, what is cheap first.
func switchmlFigures() []Experiment {
	return []Experiment{
		recirculation(), passes(), lineRate(), singlePipeline(), hierarchy(), halfPrecision(), trioPacketSizes(), trioPool(), ateSize(),
		fig9(), fig7(), table2(), fig4(), table1(), fig3(),
	}
}

// recirculation is SwitchML §5: what the ports of the switch leave for workers
// when packets of 256 values go through all pipelines.
func recirculation() Experiment {
	const id = "switchml.s5.recirc-bandwidth"
	return Experiment{
		ID: id, Title: "rate that is left for workers when three of four pipelines loop back",
		Claims: []claims.ID{id},
		Run: func(context.Context, *Env) (Findings, error) {
			const pipelines, looped, ports = 4, 3, 16
			left := units.Rate((pipelines-looped)*ports) * gigabit100
			var f Findings
			f.Set(id, claims.Number(float64(left)/float64(units.GbitPerSecond)))
			return f, nil
		},
	}
}
