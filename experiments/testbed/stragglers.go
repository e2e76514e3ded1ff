package testbed

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
)

// StraggleP are the probabilities of Fig 13, or those of a quick run.
func StraggleP(e *experiment.Env) []float64 {
	if e.Quick {
		return []float64{0, LastP}
	}
	return []float64{0, 0.04, 0.08, 0.12, LastP}
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

func Optional(v *float64, decimals int) render.Cell {
	if v == nil {
		return render.NA()
	}
	return render.Number(*v, decimals)
}

func Count(n *int) render.Cell {
	if n == nil {
		return render.NA()
	}
	return render.Int(*n)
}
