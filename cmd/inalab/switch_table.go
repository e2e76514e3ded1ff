package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// viewTable joins the views of a switch's engines to one table.
func viewTable(lab string, v dataplane.View, answer control.Response) render.Table {
	t := joinTables(answer.Tables)
	t.ID = "switch." + string(v)
	t.Title = fmt.Sprintf("%s of %s, lab %s", v, answer.Switch, lab)
	return t
}

// joinTables puts the rows of all engines under the columns that any of them has.
func joinTables(tables []control.EngineTable) render.Table {
	var columns []dataplane.Column
	for _, e := range tables {
		for _, c := range e.Table.Columns {
			if indexOf(columns, c.Key) < 0 {
				columns = append(columns, c)
			}
		}
	}
	t := render.Table{Columns: []render.Column{{Key: "pfe", Name: "pfe"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, render.Column{Key: c.Key, Name: c.Name, Unit: c.Unit, Align: alignOf(tables, c.Key), Spare: c.Spare})
	}
	for _, e := range tables {
		for _, row := range e.Table.Rows {
			cells := make([]render.Cell, len(t.Columns))
			cells[0] = render.Text(e.PFE)
			for i, v := range row {
				cells[1+indexOf(columns, e.Table.Columns[i].Key)] = cellOf(v)
			}
			t.Rows = append(t.Rows, cells)
		}
		if n := len(e.Table.Rows); n < e.Table.Total {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of %d rows; --limit asks for more", e.PFE, n, e.Table.Total))
		}
		for _, note := range e.Table.Notes {
			t.Notes = append(t.Notes, e.PFE+": "+note)
		}
	}
	return t
}

func indexOf(columns []dataplane.Column, key string) int {
	return slices.IndexFunc(columns, func(c dataplane.Column) bool { return c.Key == key })
}

// alignOf puts words left and everything else right.
func alignOf(tables []control.EngineTable, key string) render.Align {
	for _, e := range tables {
		i := indexOf(e.Table.Columns, key)
		for _, row := range e.Table.Rows {
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
