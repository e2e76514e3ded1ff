package render

import (
	"github.com/inalab/inalab/internal/result"
)

// runColumn is a column of a table with rows for each run: its links, or its flows.
type runColumn[T any] struct {
	Column
	unit, doc string // for COLUMNS.md
	cell      func(*result.Cell, *T) Cell
}

// column returns one whose name is its key.
func column[T any](key, unit, doc string, cell func(*result.Cell, *T) Cell) runColumn[T] {
	return runColumn[T]{Column{Key: key, Name: key}, unit, doc, cell}
}

// ofRun returns the columns that say which run a row is of, behind those of swept keys.
func ofRun[T any]() []runColumn[T] {
	return []runColumn[T]{
		column("system", "", "what ran; of several systems all, each with the number of its jobs", func(c *result.Cell, _ *T) Cell { return Text(c.Ran()) }),
		column("topology", "", "where it ran", func(c *result.Cell, _ *T) Cell { return Text(c.Topology) }),
		column("straggle_p", "fraction", "straggle probability of the scenario", func(c *result.Cell, _ *T) Cell { return Percent(c.StraggleP) }),
		column("seed", "", "root of all randomness in the run", func(c *result.Cell, _ *T) Cell { return Int(c.Seed) }),
		column("clock", "", "live or virtual", func(c *result.Cell, _ *T) Cell { return Text(c.Clock) }),
	}
}

// runTable returns the table of what each run has several of.
func runTable[T any](title string, cells []result.Cell, columns []runColumn[T], rows func(*result.Cell) []T) Table {
	t := Table{Title: title}
	var points []result.Point
	for i := range cells {
		points = append(points, cells[i].Point)
	}
	keys := SweptKeys(points)
	for _, key := range keys {
		t.Columns = append(t.Columns, Column{Key: key, Name: key})
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range cells {
		list := rows(&cells[i])
		for k := range list {
			var row []Cell
			for _, key := range keys {
				row = append(row, Text(cells[i].Point.Value(key)))
			}
			for _, c := range columns {
				row = append(row, c.cell(&cells[i], &list[k]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// describe returns the table of COLUMNS.md for a file.
func describe[T any](file string, header []Column, columns []runColumn[T]) Table {
	t := Table{Title: file, Columns: header}
	for _, c := range columns {
		t.Rows = append(t.Rows, []Cell{Text(c.Key), Text(c.unit), Text(c.doc)})
	}
	return t
}
