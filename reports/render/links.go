package render

import (
	"io"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// linkColumns returns the columns in the order of links.csv, behind those of swept keys.
func linkColumns() []runColumn[result.Link] {
	shaped := func(c Cell, l *result.Link) Cell { return when(l.Rate > 0 || l.Changes > 0, c) }
	bytes := func(b func(*result.Link) units.Bytes) func(*result.Cell, *result.Link) Cell {
		return func(_ *result.Cell, l *result.Link) Cell { return shaped(Int(b(l)), l) }
	}
	columns := append(ofRun[result.Link](),
		column("link", "", "one direction, from node:port to node:port, or between two PFEs of a chassis", func(_ *result.Cell, l *result.Link) Cell { return Text(l.Name) }),
		column("rate", "bit/s", "of the line, after scaling, before any change; empty: unlimited", func(_ *result.Cell, l *result.Link) Cell { return when(l.Rate > 0, Int(l.Rate)) }),
		column("changes", "", "changes of the link that came during the run", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Changes) }),
		column("frames", "frames", "that came to the far end", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Frames) }),
		column("bytes", "B", "of these, headers included, Ethernet framing not", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Bytes) }),
		column("use", "fraction", "sent of what the line could have sent; framing counts", func(_ *result.Cell, l *result.Link) Cell { return shaped(Number(l.Use, 3), l) }),
		column("depth_mean", "B", "that waited for the line, over the time of the run", bytes(func(l *result.Link) units.Bytes { return l.Mean })),
		column("depth_p99", "B", "no more waited for 99% of the time; known to 6%", bytes(func(l *result.Link) units.Bytes { return l.P99 })),
		column("depth_max", "B", "most that ever waited", bytes(func(l *result.Link) units.Bytes { return l.Max })),
		column("marks", "frames", "that left with a mark of congestion", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Marks) }),
	)
	for _, d := range result.LinkDrops() {
		columns = append(columns, column(d.Name, "frames", d.Meaning, func(_ *result.Cell, l *result.Link) Cell { return Int(l.DroppedBy(d.Name)) }))
	}
	columns = append(columns,
		column("reordered", "frames", "that passed the wire without delay, and so may have overtaken others", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Reordered) }),
		column("duplicated", "frames", "that came twice", func(_ *result.Cell, l *result.Link) Cell { return Int(l.Duplicated) }),
	)
	return append(columns, column("since", "s", "from when on the row counts: its switch was started again then; empty: from the start", func(_ *result.Cell, l *result.Link) Cell {
		return when(l.Since > 0, Number(l.Since.Sub(0).Seconds(), 3))
	}))
}

// Links returns the table of links.csv: a row for each direction of a link in each run.
// Rounds that the virtual clock charged without simulating them have no frames.
func Links(cells []result.Cell) Table {
	var labs []result.Cell // jobs that share one have the same links
	for _, c := range cells {
		if !slices.ContainsFunc(labs, func(o result.Cell) bool { return o.SharesLab(&c) }) {
			labs = append(labs, c)
		}
	}
	return runTable("Links", labs, linkColumns(), func(c *result.Cell) []result.Link { return c.Links })
}

// WriteLinks writes links.csv.
func WriteLinks(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "links.csv", Links(cells))
}
