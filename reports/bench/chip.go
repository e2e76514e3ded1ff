package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// Chip is what the benchmark of an emulated chip measured.
type Chip struct {
	Tables result.ChipTables
	Live   []ChipLive  // none: not measured
	Alone  []ChipAlone // an engine by itself

	paired *chipRatio
}

// ChipLive is what one engine sustains on real packets.
type ChipLive struct {
	Engine    string  `json:"engine"`
	Runs      int     `json:"runs"`
	Goodput   float64 `json:"aggregate_input_gbps"` // of the fastest run: payload that all workers hand in
	Median    float64 `json:"median_gbps"`          // of all runs
	Reference float64 `json:"of_reference"`         // median over that of the first engine
	Wrong     uint64  `json:"wrong"`
	Checked   uint64  `json:"checked"`
}

// ChipAlone is a run, and the seconds that each of its repeats took.
type ChipAlone struct {
	result.ChipRun
	Wall []float64
}

// chipRatio is the second engine over the first, run by run; zero where it was not
// measured.
type chipRatio struct {
	Median float64 `json:"paired_ratio"`
	Least  float64 `json:"paired_ratio_min"`
}

// SetLive compares engines by their runs, which took turns, in the order in which they
// are given; the first is the reference.
func (c *Chip) SetLive(engines []string, runs [][]AllReduce) error {
	for i, name := range engines {
		if len(runs[i]) == 0 {
			return fmt.Errorf("benchmark of %s: it was not run", name)
		}
		best := Best(runs[i])
		var inputs []float64
		for _, r := range runs[i] {
			inputs = append(inputs, r.AggregateInput)
		}
		row := ChipLive{Engine: name, Runs: best.Runs, Goodput: best.AggregateInput, Reference: 1, Wrong: best.Wrong, Checked: best.Checked}
		row.Median, _ = stat.Median(inputs)
		if i > 0 && c.Live[0].Median > 0 {
			row.Reference = row.Median / c.Live[0].Median
		}
		c.Live = append(c.Live, row)
	}
	if !c.Tables.Paired {
		return nil
	}
	return c.pair(runs)
}

func (c *Chip) pair(runs [][]AllReduce) error {
	if len(runs) != 2 || len(runs[0]) != len(runs[1]) {
		return errors.New("benchmark of a chip: it takes two engines, run by turns")
	}
	var ratios []float64
	for i := range runs[0] {
		if runs[0][i].AggregateInput > 0 {
			ratios = append(ratios, runs[1][i].AggregateInput/runs[0][i].AggregateInput)
		}
	}
	if len(ratios) == 0 {
		return errors.New("benchmark of a chip: the reference program moved nothing")
	}
	c.paired = &chipRatio{Least: slices.Min(ratios)}
	c.paired.Median, _ = stat.Median(ratios)
	return nil
}

var chipLiveColumns = []column[ChipLive]{
	{render.Column{Key: "engine", Name: "engine"}, func(r ChipLive) render.Cell { return render.Text(r.Engine) }},
	{render.Column{Key: "median_gbps", Name: "median", Unit: "Gbit/s", Align: render.Right}, func(r ChipLive) render.Cell { return render.Number(r.Median, 2) }},
	{render.Column{Key: "of_reference", Name: "/ reference", Align: render.Right}, func(r ChipLive) render.Cell { return render.Number(r.Reference, 2) }},
	{render.Column{Key: "aggregate_input_gbps", Name: "fastest", Unit: "Gbit/s", Align: render.Right}, func(r ChipLive) render.Cell { return render.Number(r.Goodput, 2) }},
	{render.Column{Key: "runs", Name: "runs", Align: render.Right, Fold: true}, func(r ChipLive) render.Cell { return render.Int(r.Runs) }},
	{render.Column{Key: "wrong", Name: "#wrong", Align: render.Right}, func(r ChipLive) render.Cell { return wrong(r.Wrong, r.Checked) }},
	{render.Column{Key: "checked", Name: "checked", Align: render.Right}, func(r ChipLive) render.Cell { return render.Int(r.Checked) }},
}

func (c *Chip) liveTable() render.Table {
	notes := []string{"payload that all workers hand in; links unshaped; the engines take turns, run by run"}
	t := tableOf(c.Tables.Live, notes, chipLiveColumns, c.Live)
	if p := c.paired; p != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("%s over %s, run by run: median %.2f, least %.2f", c.Live[1].Engine, c.Live[0].Engine, p.Median, p.Least))
	}
	return t
}

func (c *Chip) aloneTable() render.Table {
	number := func(c result.ChipColumn, unit string) render.Column {
		return render.Column{Key: c.Key, Name: c.Name, Unit: unit, Align: render.Right}
	}
	packets := result.ChipColumn{Key: "packets", Name: "packets"}
	columns := []render.Column{{Key: "system", Name: "system"}, {Key: c.Tables.Row, Name: c.Tables.Row}, number(c.Tables.Elements, ""), number(packets, "")}
	if !c.several() {
		columns = columns[1:]
	}
	for _, w := range c.Tables.Work {
		columns = append(columns, number(w.Total, ""))
	}
	packets.Key = "packets_per_s"
	columns = append(columns, number(result.ChipColumn{Key: "wall_s", Name: "wall"}, "s"), number(packets, "1/s"))
	for _, w := range c.Tables.Work {
		columns = append(columns, number(w.Rate, "1/s"))
	}
	if c.several() {
		of := "/ " + c.Alone[0].System
		columns = append(columns, number(result.ChipColumn{Key: "packets_of_first", Name: "packets " + of}, ""))
		for _, w := range c.Tables.Work {
			columns = append(columns, number(result.ChipColumn{Key: w.Total.Key + "_of_first", Name: w.Total.Name + " " + of}, ""))
		}
	}
	columns = append(columns, render.Column{Key: "repeats", Name: "repeats", Align: render.Right, Fold: true})
	t := render.Table{Title: c.Tables.Alone, Columns: columns, Notes: []string{c.Tables.Note}}
	for i := range c.Alone {
		t.Rows = append(t.Rows, c.cells(&c.Alone[i]))
	}
	return t
}

// several reports whether engines of more than one system were measured.
func (c *Chip) several() bool {
	return slices.ContainsFunc(c.Alone, func(r ChipAlone) bool { return r.System != c.Alone[0].System })
}

// fractions are the rates of a run over those of the first run of the first system that has the
// same name; 0 where there is none.
func (c *Chip) fractions(r *ChipAlone) (out []render.Cell) {
	first := ChipAlone{ChipRun: result.ChipRun{Work: make([]uint64, len(r.Work))}}
	for _, o := range c.Alone {
		if o.System == c.Alone[0].System && o.Row == r.Row {
			first = o
			break
		}
	}
	wall, _ := stat.Median(r.Wall)
	of, _ := stat.Median(first.Wall)
	fraction := func(n, first uint64) render.Cell {
		return some(first, render.Number(float64(n)/float64(max(1, first))*of/wall, 2))
	}
	out = append(out, fraction(r.Packets, first.Packets))
	for i, n := range r.Work {
		out = append(out, fraction(n, first.Work[i]))
	}
	return out
}

func (c *Chip) cells(r *ChipAlone) []render.Cell {
	wall, _ := stat.Median(r.Wall) // that repeats are few is told by their column
	rate := func(n uint64) render.Cell { return some(n, render.Number(float64(n)/wall, 0)) }
	out := []render.Cell{render.Text(r.System), render.Text(r.Row), render.Int(r.Elements), render.Int(r.Packets)}
	if !c.several() {
		out = out[1:]
	}
	for _, n := range r.Work {
		out = append(out, some(n, render.Int(n)))
	}
	out = append(out, render.Number(wall, 3), rate(r.Packets))
	for _, n := range r.Work {
		out = append(out, rate(n))
	}
	if c.several() {
		out = append(out, c.fractions(r)...)
	}
	return append(out, render.Int(len(r.Wall)))
}

// some shows people nothing of what an engine does not do.
func some(n uint64, c render.Cell) render.Cell {
	if n == 0 {
		return c.As("")
	}
	return c
}

// WriteChip writes the benchmark of a chip in any format: the live table if it was
// measured, then the other. CSV, which is one table, is the first of them.
func WriteChip(w io.Writer, c *Chip, o render.Options) error {
	alone := c.aloneTable()
	if o.Format == render.FormatJSON {
		return c.writeJSON(w, alone)
	}
	if len(c.Live) > 0 {
		if err := render.Write(w, c.liveTable(), o); err != nil || o.Format == render.FormatCSV {
			return err
		}
	}
	return render.Write(w, alone, o)
}

func (c *Chip) writeJSON(w io.Writer, alone render.Table) error {
	rows, err := alone.Objects()
	if err != nil {
		return err
	}
	paired := c.paired
	if paired == nil && c.Tables.Paired {
		paired = &chipRatio{}
	}
	return render.WriteJSON(w, struct {
		SchemaVersion int        `json:"schema_version"`
		Live          []ChipLive `json:"live"`
		*chipRatio
		Alone []json.RawMessage `json:"virtual"`
	}{render.SchemaVersion, c.Live, paired, rows})
}
