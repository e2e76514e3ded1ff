package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// viewTable joins the views of a switch's engines to one table. For people, engines
// that show the same stand in it once.
func viewTable(lab string, v dataplane.View, answer control.Response, people bool) render.Table {
	groups := eachAlone(answer.Tables)
	if people {
		groups = alike(answer.Tables)
	}
	t := joinTables(groups)
	t.ID = "switch." + string(v)
	t.Title = fmt.Sprintf("%s of %s, lab %s, %v into the run", v, answer.Switch, lab, answer.At/units.Time(units.Millisecond)*units.Time(units.Millisecond))
	if len(t.Rows) == 0 {
		t.Notes = append(t.Notes, "there is nothing to show at this moment")
	}
	return t
}

// group is engines with one table.
type group struct {
	pfes  []string
	table dataplane.Table
}

// names lists the engines; where these are all there are, the first and the last do.
func (g group) names(all bool) string {
	if n := len(g.pfes); all && n > 2 {
		return g.pfes[0] + "-" + g.pfes[n-1]
	}
	return strings.Join(g.pfes, ",")
}

func eachAlone(tables []control.EngineTable) (out []group) {
	for _, e := range tables {
		out = append(out, group{[]string{e.PFE}, e.Table})
	}
	return out
}

// alike groups the engines that have the same rows, in the order of the first of
// each group.
func alike(tables []control.EngineTable) (out []group) {
	for _, e := range tables {
		same := func(g group) bool { return len(e.Table.Rows) > 0 && reflect.DeepEqual(g.table, e.Table) }
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].pfes = append(out[i].pfes, e.PFE)
		} else {
			out = append(out, group{[]string{e.PFE}, e.Table})
		}
	}
	return out
}

// joinTables puts the rows of all engines under the columns that any of them has.
func joinTables(groups []group) render.Table {
	var columns []dataplane.Column
	for _, g := range groups {
		for _, c := range g.table.Columns {
			if indexOf(columns, c.Key) < 0 {
				columns = append(columns, c)
			}
		}
	}
	t := render.Table{Columns: []render.Column{{Key: "pfe", Name: "pfe"}}, Notes: notesOf(groups)}
	for _, c := range columns {
		t.Columns = append(t.Columns, render.Column{Key: c.Key, Name: c.Name, Unit: c.Unit, Align: alignOf(groups, c.Key), Spare: c.Spare})
	}
	for _, g := range groups {
		for _, row := range g.table.Rows {
			cells := make([]render.Cell, len(t.Columns))
			cells[0] = render.Text(g.names(len(groups) == 1))
			for i, v := range row {
				cells[1+indexOf(columns, g.table.Columns[i].Key)] = cellOf(v)
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// notesOf returns the notes of all engines, each once: with the engines that it is
// of, where it is not of all.
func notesOf(groups []group) (out []string) {
	var texts []string
	of, all := map[string][]string{}, 0
	for _, g := range groups {
		notes := slices.Clone(g.table.Notes)
		if n := len(g.table.Rows); n < g.table.Total {
			notes = append(notes, fmt.Sprintf("%d of %d rows; --limit asks for more", n, g.table.Total))
		}
		for _, text := range notes {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], g.pfes...)
		}
		all += len(g.pfes)
	}
	for _, text := range texts {
		if len(of[text]) < all {
			text = strings.Join(of[text], ", ") + ": " + text
		}
		out = append(out, text)
	}
	return out
}

func indexOf(columns []dataplane.Column, key string) int {
	return slices.IndexFunc(columns, func(c dataplane.Column) bool { return c.Key == key })
}

// alignOf puts words left and everything else right.
func alignOf(groups []group, key string) render.Align {
	for _, g := range groups {
		i := indexOf(g.table.Columns, key)
		for _, row := range g.table.Rows {
			if i >= 0 && row[i].Kind() == dataplane.KindText {
				return render.Left
			}
		}
	}
	return render.Right
}

// cellOf turns a value into a cell. Numbers keep their digits: people see three
// behind the point.
func cellOf(v dataplane.Value) render.Cell {
	switch v.Kind() {
	case dataplane.KindText:
		return render.Text(v.String())
	case dataplane.KindBool:
		return render.Bool(v.String() == "true")
	case dataplane.KindNumber:
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return render.Int(n)
		}
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return render.Int(n)
		}
		f, err := strconv.ParseFloat(v.String(), 64)
		if err == nil {
			return render.Number(f, 3)
		}
	}
	return render.NA()
}
