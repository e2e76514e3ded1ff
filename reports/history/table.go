package history

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// minute is how instants are written.
const minute = "2006-01-02 15:04"

// Table returns the history for people and programs.
func Table(list []Entry) render.Table {
	t := render.Table{
		Title: "Iteration time, run by run",
		Notes: []string{
			"change: against the median of the runs before of the same scenario with its values, scale, clock, seed and, live, kind of machine; before: how many these are",
			"whether a change is more than chance, \"inalab compare\" tells",
		},
	}
	columns := tableColumns()
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range list {
		var cells []render.Cell
		for _, c := range columns {
			cells = append(cells, c.cell(&list[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	for i := range list {
		if e := &list[i]; e.Unfit != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("no part, %s of %s: %s", strings.TrimSpace(e.System+" "+e.at()), e.Dir, e.Unfit))
		}
	}
	return t
}

type column struct {
	render.Column
	cell func(*Entry) render.Cell
}

func tableColumns() []column {
	text := func(key string, fold bool, of func(*Entry) string) column {
		return column{render.Column{Key: key, Name: key, Fold: fold}, func(e *Entry) render.Cell { return render.Word(of(e)) }}
	}
	return []column{
		text("time", false, func(e *Entry) string { return e.Started.UTC().Format(minute) }),
		text("version", false, func(e *Entry) string { return e.Version }),
		text("scenario", true, func(e *Entry) string { return e.Scenario }),
		text("clock", true, func(e *Entry) string { return e.Clock }),
		{render.Column{Key: "scale", Name: "scale", Align: render.Right, Fold: true}, func(e *Entry) render.Cell { return render.Int(e.Scale) }},
		{render.Column{Key: "machine", Name: "machine", Detail: true}, func(e *Entry) render.Cell { return render.Word(e.Machine) }},
		{render.Column{Key: "seed", Name: "seed", Align: render.Right, Fold: true}, func(e *Entry) render.Cell { return render.Int(e.Seed) }},
		text("system", true, func(e *Entry) string { return e.System }),
		text("topology", true, func(e *Entry) string { return e.Topology }),
		text("model", true, func(e *Entry) string { return e.Model }),
		text("job", true, func(e *Entry) string { return e.Job }),
		text("lab", true, func(e *Entry) string { return e.Lab }),
		text("point", true, func(e *Entry) string { return e.Point }),
		{render.Column{Key: "straggle_p", Name: "p", Unit: "%", Align: render.Right, Fold: true}, func(e *Entry) render.Cell { return render.Percent(e.StraggleP) }},
		{render.Column{Key: "iter_ms", Name: "iteration", Unit: "ms", Align: render.Right}, (*Entry).time},
		{render.Column{Key: "change", Name: "change", Unit: "%", Align: render.Right}, (*Entry).change},
		{render.Column{Key: "before", Name: "before", Align: render.Right}, func(e *Entry) render.Cell { return render.Int(e.Before) }},
		{render.Column{Key: "run", Name: "run", Detail: true}, func(e *Entry) render.Cell { return render.Text(e.Dir) }},
		{render.Column{Key: "unfit"}, func(e *Entry) render.Cell { return render.Word(e.Unfit) }},
	}
}

func (e *Entry) time() render.Cell {
	if e.IterMS == 0 {
		return render.NA()
	}
	return render.Number(e.IterMS, 3).Suspect(e.Unfit != "")
}

func (e *Entry) change() render.Cell {
	c := render.Number(e.Change, 4)
	if c == render.NA() {
		return c
	}
	return c.As(fmt.Sprintf("%+.2f", 100*e.Change))
}

// at names the point of a sweep and the straggle probability.
func (e *Entry) at() string {
	return strings.TrimSpace(fmt.Sprintf("%s p=%g%%", e.Point, 100*e.StraggleP))
}
