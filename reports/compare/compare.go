package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Rows reports every cell, held against the ideal's and the baseline's cells of the
// same setting. The order is by point of the sweep, model, straggle probability and rank,
// then by name, topology, lab, job, clock, scale, workers, seed; cells that are alike in all of that stay in the order
// given.
func Rows(cells []result.Cell, baseline result.Baseline) []Row {
	runs := make([]run, len(cells))
	for i, c := range cells {
		s := newSeries(c)
		runs[i] = run{cell: c, series: s, row: newRow(c, s)}
		runs[i].row.IsBaseline = c.System == baseline.System
	}
	for i := range runs {
		runs[i].holdAgainstIdeal(runs)
		runs[i].holdAgainst(runs, baseline)
		runs[i].holdAgainstFirst(runs)
	}
	slices.SortStableFunc(runs, func(x, y run) int { return Order(&x.cell, &y.cell) })
	out := make([]Row, len(runs))
	for i := range runs {
		out[i] = runs[i].row
	}
	share(out)
	return out
}

// run is a cell on its way to a row.
type run struct {
	cell   result.Cell
	series series
	row    Row
}

// alike reports whether two cells differ at most in system, topology and
// straggle probability.
func alike(a, b result.Cell) bool {
	return a.Point.Index == b.Point.Index && a.Job == b.Job && a.Model == b.Model && a.Clock == b.Clock && a.Seed == b.Seed && a.Scale == b.Scale && a.Workers == b.Workers
}

// holdAgainstIdeal fills in the ratio to the ideal of the same straggle
// probability or, since the ideal of Trio section 6.1 has no stragglers, to the
// one of p = 0.
func (r *run) holdAgainstIdeal(runs []run) {
	ideal := find(runs, func(c result.Cell) bool {
		return c.System == Ideal && alike(c, r.cell) && c.StraggleP == r.cell.StraggleP
	})
	if ideal == nil {
		ideal = find(runs, func(c result.Cell) bool {
			return c.System == Ideal && alike(c, r.cell) && c.StraggleP == 0
		})
	}
	if ideal == nil {
		return
	}
	time, ok := r.row.Time()
	best, okBest := ideal.row.Time()
	if !ok || !okBest || best <= 0 {
		return
	}
	ratio := time / best
	r.row.RatioIdeal, r.row.RatioInvalid = &ratio, ideal.row.Invalid()
}

// holdAgainst fills in the speed-up over the baseline.
func (r *run) holdAgainst(runs []run, baseline result.Baseline) {
	if r.row.Computed {
		return
	}
	wanted := func(c result.Cell) bool {
		return c.System == baseline.System && alike(c, r.cell) && c.StraggleP == r.cell.StraggleP
	}
	ref := find(runs, func(c result.Cell) bool { return wanted(c) && c.Topology == r.cell.Topology })
	if ref == nil {
		ref = find(runs, wanted)
	}
	if ref == nil || len(ref.series.points) == 0 || len(r.series.points) == 0 {
		return
	}
	r.row.SpeedupInvalid = ref.row.Invalid()
	if r.row.IsBaseline { // one by definition: there is nothing to estimate
		r.row.Speedup = stat.Estimate{Value: 1, N: len(r.series.points)}
		return
	}
	pairs := pair(ref.series, r.series)
	r.row.Speedup = stat.RatioOfMeans(pairs)
	r.row.warn("speed-up over "+baseline.System, r.row.Speedup.Warnings)
	if n := max(len(ref.series.points), len(r.series.points)); len(pairs) < n {
		r.row.Warnings = append(r.row.Warnings, fmt.Sprintf("speed-up over %s: only %d of %d iterations have a partner", baseline.System, len(pairs), n))
	}
}

// holdAgainstFirst fills in the inflation of a run of a sweep.
func (r *run) holdAgainstFirst(runs []run) {
	if r.row.Computed || len(r.cell.Point.Keys) == 0 {
		return
	}
	wanted := func(c result.Cell) bool {
		return c.Point.Index == 0 && c.Job == r.cell.Job && c.System == r.cell.System && c.Topology == r.cell.Topology &&
			c.Clock == r.cell.Clock && c.Seed == r.cell.Seed && c.StraggleP == r.cell.StraggleP
	}
	first := find(runs, func(c result.Cell) bool { return wanted(c) && c.Lab == r.cell.Lab })
	if first == nil { // what else runs is swept
		first = find(runs, wanted)
	}
	if first == nil {
		return
	}
	time, ok := r.row.Time()
	if base, okFirst := first.row.Time(); ok && okFirst && base > 0 {
		ratio := time / base
		r.row.Inflation = &ratio
	}
}

// find returns the first run whose cell is wanted, or nil.
func find(runs []run, wanted func(result.Cell) bool) *run {
	for i := range runs {
		if wanted(runs[i].cell) {
			return &runs[i]
		}
	}
	return nil
}

// pair joins two series, each sorted by iteration, where both have a point.
func pair(x, y series) []stat.Pair {
	var out []stat.Pair
	for i, j := 0, 0; i < len(x.points) && j < len(y.points); {
		switch a, b := x.points[i], y.points[j]; {
		case a.iteration < b.iteration:
			i++
		case a.iteration > b.iteration:
			j++
		default:
			out = append(out, stat.Pair{X: a.ms, Y: b.ms})
			i, j = i+1, j+1
		}
	}
	return out
}

// Order is that of [Rows].
func Order(a, b *result.Cell) int {
	return cmp.Or(
		cmp.Compare(a.Point.Index, b.Point.Index),
		cmp.Compare(a.Model, b.Model),
		cmp.Compare(a.StraggleP, b.StraggleP),
		cmp.Compare(a.Rank, b.Rank),
		cmp.Compare(a.System, b.System),
		cmp.Compare(a.Topology, b.Topology),
		cmp.Compare(a.Lab, b.Lab),
		cmp.Compare(a.Job, b.Job),
		cmp.Compare(a.Clock, b.Clock),
		cmp.Compare(a.Scale, b.Scale),
		cmp.Compare(a.Workers, b.Workers),
		cmp.Compare(a.Seed, b.Seed),
	)
}
