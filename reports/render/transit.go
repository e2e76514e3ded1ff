package render

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/result"
)

// transitColumns returns the columns in the order of transit.csv, behind those of swept keys.
func transitColumns() []runColumn[result.TransitCount] {
	type count = result.TransitCount
	n := column("count", "", "how many, from the start of the run to its end", func(_ *result.Cell, p *count) Cell { return Int(p.N) })
	n.Align = Right
	return append(folded(ofRun[count]()),
		column("switch", "", "where frames passed the program", func(_ *result.Cell, p *count) Cell { return Text(p.Switch) }),
		column("program", "", "its name", func(_ *result.Cell, p *count) Cell { return Text(p.Program) }),
		column("counter", "", "what it counted: packets by what became of them, and what its source declares; -bytes behind a name is their bytes", func(_ *result.Cell, p *count) Cell { return Text(p.Counter) }),
		n,
	)
}

// reportColumns returns the columns in the order of reports.csv, behind those of swept keys.
func reportColumns() []runColumn[result.Report] {
	type report = result.Report
	columns := append(folded(ofRun[report]()),
		column("program", "", "that reported", func(_ *result.Cell, r *report) Cell { return Text(r.Program) }),
		column("switch", "", "where it runs", func(_ *result.Cell, r *report) Cell { return Text(r.Switch) }),
		column("collector", "", "host that took the reports", func(_ *result.Cell, r *report) Cell { return Text(r.Collector) }),
		column("from", "", "who sent what was reported: a host, a switch or an address", func(_ *result.Cell, r *report) Cell { return Text(r.From) }),
		column("to", "", "to whom", func(_ *result.Cell, r *report) Cell { return Text(r.To) }),
		column("reports", "", "that the collector got of the two", func(_ *result.Cell, r *report) Cell { return Int(r.Reports) }),
		column("packets", "packets", "of the two that the program had counted by the latest report", func(_ *result.Cell, r *report) Cell { return Int(r.Packets) }),
		column("bytes", "B", "of these, Ethernet headers included", func(_ *result.Cell, r *report) Cell { return Int(r.Bytes) }),
	)
	for i := len(columns) - 3; i < len(columns); i++ {
		columns[i].Align = Right
	}
	return columns
}

// folded returns the columns that say which run a row is of as people see them.
func folded[T any](columns []runColumn[T]) []runColumn[T] {
	for i := range columns {
		c := &columns[i]
		if c.Fold = true; c.Key == "straggle_p" {
			c.Name, c.Unit, c.Align = "p", "%", Right
		}
	}
	return columns
}

// Transit returns the table of transit.csv: a row for each counter of a program that frames
// pass in a switch, in each run.
func Transit(cells []result.Cell) Table {
	return runTable("Programs that frames pass", cells, transitColumns(), func(c *result.Cell) []result.TransitCount { return c.Transit })
}

// Reports returns the table of reports.csv: a row for each two addresses that a program in a
// switch told a collector of, in each run.
func Reports(cells []result.Cell) Table {
	t := runTable("Reports of programs to collectors", cells, reportColumns(), func(c *result.Cell) []result.Report { return c.Reports })
	t.Notes = []string{"packets, bytes: all from one to the other that the program had counted by its latest report"}
	return t
}

// WriteTransit writes transit.csv.
func WriteTransit(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "transit.csv", Transit(cells))
}

// WriteReports writes reports.csv.
func WriteReports(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "reports.csv", Reports(cells))
}

func writeRuns(w io.Writer, file string, t Table) error {
	if err := Write(w, t, Options{Format: FormatCSV}); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// RunKeys returns the columns of a table of what runs have several of, but for those of swept
// keys: of flows.csv, transit.csv, reports.csv or tallies.csv. It is nil for any other.
func RunKeys(table string) (keys []string) {
	t, ok := RunTable(table, nil)
	if !ok {
		return nil
	}
	for _, c := range t.Columns {
		keys = append(keys, c.Key)
	}
	return keys
}

// RunTables are the names of the tables of what runs have several of, without ".csv".
var RunTables = []string{"flows", "transit", "reports", "tallies"}

// RunTable returns one of RunTables.
func RunTable(name string, cells []result.Cell) (Table, bool) {
	switch name {
	case "flows":
		return Flows(cells), true
	case "transit":
		return Transit(cells), true
	case "reports":
		return Reports(cells), true
	case "tallies":
		return Tallies(cells), true
	}
	return Table{}, false
}
