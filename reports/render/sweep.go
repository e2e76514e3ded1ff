package render

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/reports/compare"
)

// SweepTables returns two tables for each setting among rows, with a line for
// each system and a column for each straggle probability: the iteration time,
// and the speed-up over SwitchML-256. Programs find no number where a run is not
// to be believed.
func SweepTables(rows []compare.Row) []Table {
	var out []Table
	p := newPrecision(rows)
	for _, s := range compare.Sweeps(rows) {
		out = append(out,
			sweepTable(s, "Iteration time", "ms", "iter_ms", func(r *compare.Row) Cell { return iterCell(r, p) }),
			sweepTable(s, "Speed-up over "+compare.Reference, "ratio", "speedup_switchml", func(r *compare.Row) Cell { return speedupCell(r, p) }),
		)
	}
	return out
}

func sweepTable(s compare.Sweep, what, unit, key string, cell func(*compare.Row) Cell) Table {
	t := Table{
		Title: fmt.Sprintf("%s, %s, by straggle probability: %s", what, unit, setting(s)),
		Columns: []Column{
			{Key: "system", Name: "system"},
			{Key: "topology", Name: "topology", Detail: true},
		},
	}
	for _, p := range s.P {
		t.Columns = append(t.Columns, Column{
			Key: key + "_p" + Percent(p).program, Name: "p=" + Percent(p).people + "%", Unit: unit, Align: Right,
		})
	}
	for _, line := range s.Lines {
		cells := []Cell{Text(line.System), Text(line.Topology)}
		for _, r := range line.Cells {
			if r == nil {
				cells = append(cells, NA())
				continue
			}
			c := cell(r)
			if c.suspect { // no fidelity stands beside it, as it does in summary.csv
				c.program = ""
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func setting(s compare.Sweep) string {
	words := []string{s.Model, s.Clock + " clock", fmt.Sprintf("seed %d", s.Seed)}
	if s.Scale > 0 {
		words = append(words, fmt.Sprintf("scale %d", s.Scale))
	}
	if s.Workers > 0 {
		words = append(words, fmt.Sprintf("%d workers", s.Workers))
	}
	return strings.Join(words, ", ")
}
