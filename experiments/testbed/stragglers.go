package testbed

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
)

// StraggleP are the probabilities of Fig 13, or those of a quick run.
func StraggleP(e *experiment.Env) []float64 {
	return experiment.Cut(e, []float64{0, 0.04, 0.08, 0.12, LastP}, []float64{0, LastP})
}

// LastP is the probability that the paper's numbers are for.
const LastP = 0.16

// Row returns one line of rows.
func Row(rows []compare.Row, system, model string, p float64) (compare.Row, error) {
	i := slices.IndexFunc(rows, func(r compare.Row) bool {
		return r.System == system && r.Model == model && r.StraggleP == p
	})
	if i < 0 {
		return compare.Row{}, fmt.Errorf("no run of %s, %s, p=%g", system, model, p)
	}
	return rows[i], nil
}

// Estimate is a value with the half-width of its interval where there is one.
func Estimate(v, half float64, bounded bool, decimals int) render.Cell {
	switch {
	case v == 0:
		return render.NA()
	case bounded:
		return render.Within(v, half, decimals)
	}
	return render.Number(v, decimals)
}

// Took returns the time from the first begin of a round to its last end.
func Took(samples []result.Sample, round int) units.Duration {
	from, to := units.Never, units.Time(0)
	for _, s := range samples {
		if s.Iteration == round {
			from, to = min(from, s.Start), max(to, s.End)
		}
	}
	return to.Sub(from)
}

// MeanIteration returns the mean time of an iteration over workers and
// iterations.
func MeanIteration(c *result.Cell) units.Duration {
	var sum units.Duration
	for _, s := range c.Samples {
		sum += s.End.Sub(s.Start)
	}
	return sum / units.Duration(max(1, len(c.Samples)))
}
