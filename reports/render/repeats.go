package render

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/stat"
)

// repeatColumn is a column of repeats.csv.
type repeatColumn struct {
	Column
	unit, doc string
	cell      func(*compare.Repeat) Cell
}

// repeatColumns returns the columns in the order of repeats.csv, behind those of swept keys.
func repeatColumns(baseline result.Baseline, decimals int) []repeatColumn {
	speedup := "speedup_" + baseline.Key
	half := func(e float64, ok bool, digits int) Cell { return when(ok, Number(e, digits)) }
	return []repeatColumn{
		{Column{Key: "system", Name: "system"}, "", "what ran", func(r *compare.Repeat) Cell { return Text(r.System) }},
		{Column{Key: "job", Name: "job", Fold: true}, "", "name of the job, where several shared the lab", func(r *compare.Repeat) Cell { return when(r.Job != "", Text(r.Job)) }},
		{Column{Key: "lab", Name: "lab", Fold: true}, "", "what the jobs of the lab ran, where that was several systems", func(r *compare.Repeat) Cell { return when(r.Lab != "", Text(r.Lab)) }},
		{Column{Key: "topology", Name: "topology", Fold: true}, "", "where it ran", func(r *compare.Repeat) Cell { return Text(r.Topology) }},
		{Column{Key: "straggle_p", Name: "p", Unit: "%", Align: Right}, "fraction", "straggle probability of the scenario", func(r *compare.Repeat) Cell { return Percent(r.StraggleP) }},
		{Column{Key: "seeds", Name: "seeds", Align: Right}, "runs", "runs with a seed each that the means rest on; those that are invalid are left out", func(r *compare.Repeat) Cell { return Int(len(r.Seeds)) }},
		{Column{Key: "iter_ms", Name: "iteration", Unit: "ms", Align: Right}, "ms", "mean over the seeds of iter_ms in summary.csv",
			func(r *compare.Repeat) Cell { return estimateCell(r.Iter, decimals) }},
		{Column{Key: "iter_ms_ci"}, "ms", "half-width of its 95% interval (Student t over the seeds)", func(r *compare.Repeat) Cell { return half(r.Iter.Half, r.Iter.Bounded(), decimals) }},
		{Column{Key: speedup, Name: "speed-up", Unit: baseline.Word, Align: Right}, "ratio", "mean over the seeds of the speed-up in summary.csv",
			func(r *compare.Repeat) Cell { return estimateCell(r.Speedup, 3) }},
		{Column{Key: speedup + "_ci"}, "ratio", "half-width of its 95% interval", func(r *compare.Repeat) Cell { return half(r.Speedup.Half, r.Speedup.Bounded(), 3) }},
	}
}

// Repeats returns the table of repeats.csv: a row for each setting that ran with several seeds.
func Repeats(rows []compare.Row, baseline result.Baseline) Table {
	list := compare.Repeats(rows)
	t := Table{Title: "Over the seeds"}
	var points []result.Point
	for _, r := range list {
		points = append(points, r.Point)
	}
	keys := SweptKeys(points)
	for _, key := range keys {
		t.Columns = append(t.Columns, Column{Key: key, Name: key, Align: Right})
	}
	columns := repeatColumns(baseline, decimalsOf(rows))
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	invalid := 0
	for i := range list {
		var cells []Cell
		for _, key := range keys {
			cells = append(cells, Text(list[i].Point.Value(key)))
		}
		for _, c := range columns {
			cells = append(cells, c.cell(&list[i]))
		}
		invalid += list[i].Invalid
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = append(t.Notes, "each seed is one value; ± is the 95% interval of the mean over the seeds")
	if invalid > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("left out since they cannot be believed: %d runs", invalid))
	}
	return t
}

// estimateCell shows an estimate with its interval.
func estimateCell(e stat.Estimate, decimals int) Cell {
	return when(e.Known(), Within(e.Value, e.Half, decimals))
}

// WriteRepeats writes repeats.csv.
func WriteRepeats(w io.Writer, rows []compare.Row, baseline result.Baseline) error {
	return writeRuns(w, "repeats.csv", Repeats(rows, baseline))
}

// describeRepeats returns the table of COLUMNS.md.
func describeRepeats(header []Column, baseline result.Baseline) Table {
	t := Table{Title: "repeats.csv", Columns: header}
	for _, c := range repeatColumns(baseline, 0) {
		t.Rows = append(t.Rows, []Cell{Text(c.Key), Text(c.unit), Text(c.doc)})
	}
	return t
}
