package change

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

// Table returns the rows for people and programs.
func (c *Comparison) Table() render.Table {
	t := render.Table{Title: "Iteration time, new against old", Notes: c.notes()}
	var points []result.Point
	for _, r := range c.Rows {
		points = append(points, r.Point)
	}
	keys := render.SweptKeys(points)
	for _, k := range keys {
		t.Columns = append(t.Columns, render.Column{Key: k, Name: k, Align: render.Right})
	}
	columns := c.columns()
	for _, col := range columns {
		t.Columns = append(t.Columns, col.Column)
	}
	for i := range c.Rows {
		var cells []render.Cell
		for _, k := range keys {
			cells = append(cells, render.Text(c.Rows[i].Point.Value(k)))
		}
		for _, col := range columns {
			cells = append(cells, col.cell(&c.Rows[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// column is one of the table.
type column struct {
	render.Column
	cell func(*Row) render.Cell
}

func (c *Comparison) columns() []column {
	head := &c.New[0].Manifest
	text := func(key string, fold bool, of func(*Row) string) column {
		return column{render.Column{Key: key, Name: key, Fold: fold}, func(r *Row) render.Cell { return render.Word(of(r)) }}
	}
	number := func(key, name, unit string, detail bool, cell func(*Row) render.Cell) column {
		return column{render.Column{Key: key, Name: name, Unit: unit, Align: render.Right, Detail: detail}, cell}
	}
	return []column{
		text("system", false, func(r *Row) string { return r.System }),
		text("topology", true, func(r *Row) string { return r.Topology }),
		text("job", true, func(r *Row) string { return r.Job }),
		text("lab", true, func(r *Row) string { return r.Lab }),
		text("model", true, func(r *Row) string { return r.Model }),
		text("clock", true, func(*Row) string { return head.Clock }),
		{render.Column{Key: "straggle_p", Name: "p", Unit: "%", Align: render.Right, Fold: true}, func(r *Row) render.Cell { return render.Percent(r.StraggleP) }},
		{render.Column{Key: "scale", Name: "scale", Align: render.Right, Fold: true}, func(*Row) render.Cell { return render.Int(head.Scale) }},
		number("iter_ms_old", "old", "ms", false, func(r *Row) render.Cell { return render.Number(r.Old, 3) }),
		number("iter_ms_new", "new", "ms", false, func(r *Row) render.Cell { return render.Number(r.New, 3) }),
		number("change", "change", "%", false, (*Row).change),
		number("change_lo", "from", "%", true, func(r *Row) render.Cell { return r.bound(r.Factor.Lo) }),
		number("change_hi", "to", "%", true, func(r *Row) render.Cell { return r.bound(r.Factor.Hi) }),
		number("p", "chance", "", false, (*Row).chance),
		number("pairs", "pairs", "", false, func(r *Row) render.Cell { return render.Int(r.Pairs) }),
		text("verdict", false, func(r *Row) string { return string(r.Verdict) }),
		{render.Column{Key: "why", Name: ""}, func(r *Row) render.Cell { return render.Word(strings.Join(r.Why, "; ")) }},
	}
}

// change is in percent for people, and a fraction for programs.
func (r *Row) change() render.Cell {
	c := render.Number(r.Factor.Value-1, 4)
	if c == render.NA() {
		return c
	}
	people := fmt.Sprintf("%+.2f", 100*(r.Factor.Value-1))
	if people == "-0.00" {
		people = "+0.00"
	}
	if half := 100 * (r.Factor.Hi - r.Factor.Lo) / 2; half < 1000 {
		people += fmt.Sprintf(" ±%.2f", half)
	}
	return c.As(people)
}

// bound is an end of the interval, if there is one.
func (r *Row) bound(end float64) render.Cell {
	if r.Factor.N < 2 {
		return render.NA()
	}
	return render.Percent(end - 1)
}

// chance is the corrected p-value.
func (r *Row) chance() render.Cell {
	c := render.Number(r.P, 4)
	if r.P < 0.0001 {
		return c.As("<0.0001")
	}
	return c
}
