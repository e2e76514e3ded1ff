package render

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// linkColumn is a column of links.csv.
type linkColumn struct {
	key, unit, doc string
	cell           func(*result.Cell, *result.Link) Cell
}

// linkColumns returns the columns in the order of links.csv, behind those of swept keys.
func linkColumns() []linkColumn {
	shaped := func(c Cell, l *result.Link) Cell { return when(l.Rate > 0, c) }
	bytes := func(b func(*result.Link) units.Bytes) func(*result.Cell, *result.Link) Cell {
		return func(_ *result.Cell, l *result.Link) Cell { return shaped(Int(b(l)), l) }
	}
	columns := []linkColumn{
		{"system", "", "what ran", func(c *result.Cell, _ *result.Link) Cell { return Text(c.System) }},
		{"topology", "", "where it ran", func(c *result.Cell, _ *result.Link) Cell { return Text(c.Topology) }},
		{"straggle_p", "fraction", "straggle probability of the scenario", func(c *result.Cell, _ *result.Link) Cell { return Percent(c.StraggleP) }},
		{"seed", "", "root of all randomness in the run", func(c *result.Cell, _ *result.Link) Cell { return Int(c.Seed) }},
		{"clock", "", "live or virtual", func(c *result.Cell, _ *result.Link) Cell { return Text(c.Clock) }},
		{"link", "", "one direction, from node:port to node:port, or between two PFEs of a chassis", func(_ *result.Cell, l *result.Link) Cell { return Text(l.Name) }},
		{"rate", "bit/s", "of the line, after scaling; empty: unlimited", func(_ *result.Cell, l *result.Link) Cell { return shaped(Int(l.Rate), l) }},
		{"frames", "frames", "that came to the far end", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Frames) }},
		{"bytes", "B", "of these, headers included, Ethernet framing not", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Bytes) }},
		{"use", "fraction", "of the time in which the line was busy; framing counts", func(_ *result.Cell, l *result.Link) Cell { return shaped(Number(l.Use, 3), l) }},
		{"depth_mean", "B", "that waited for the line, over the time of the run", bytes(func(l *result.Link) units.Bytes { return l.Mean })},
		{"depth_p99", "B", "no more waited for 99% of the time; known to 6%", bytes(func(l *result.Link) units.Bytes { return l.P99 })},
		{"depth_max", "B", "most that ever waited", bytes(func(l *result.Link) units.Bytes { return l.Max })},
		{"marks", "frames", "that left with a mark of congestion", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Marks) }},
	}
	for _, d := range result.LinkDrops() {
		columns = append(columns, linkColumn{d.Name, "frames", d.Meaning, func(_ *result.Cell, l *result.Link) Cell { return Int(l.DroppedBy(d.Name)) }})
	}
	return columns
}

// Links returns the table of links.csv: a row for each direction of a link in each run.
// Rounds that the virtual clock charged without simulating them have no frames.
func Links(cells []result.Cell) Table {
	t := Table{Title: "Links"}
	var points []result.Point
	for i := range cells {
		points = append(points, cells[i].Point)
	}
	keys := sweptKeys(points)
	for _, key := range keys {
		t.Columns = append(t.Columns, Column{Key: key, Name: key})
	}
	columns := linkColumns()
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Key: c.key, Name: c.key})
	}
	for i := range cells {
		for k := range cells[i].Links {
			var row []Cell
			for _, key := range keys {
				row = append(row, Text(cells[i].Point.Value(key)))
			}
			for _, c := range columns {
				row = append(row, c.cell(&cells[i], &cells[i].Links[k]))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// WriteLinks writes links.csv.
func WriteLinks(w io.Writer, cells []result.Cell) error {
	if err := Write(w, Links(cells), Options{Format: FormatCSV}); err != nil {
		return fmt.Errorf("links.csv: %w", err)
	}
	return nil
}
