package render

import (
	"io"

	"github.com/inalab/inalab/internal/result"
)

// added is an interval of a series of contributions: a row of aggregations.csv.
type added struct {
	*result.Aggregation
	at int
}

// aggregationColumns returns the columns in the order of aggregations.csv, behind those of swept keys.
func aggregationColumns() []runColumn[added] {
	return append(ofRun[added](),
		column("kind", "", "switch: contributions that came to a server in a sum of several workers; server: those that came alone", func(_ *result.Cell, a *added) Cell { return Text(a.Kind) }),
		column("name", "", "of the job; empty: the only job", func(_ *result.Cell, a *added) Cell { return Text(a.Name) }),
		column("start_s", "s", "when the interval begins, since the epoch of the run; it ends where the next one begins", func(_ *result.Cell, a *added) Cell { return seconds(a.Start(a.at)) }),
		column("contributions", "", "those that servers of the job added in the interval", func(_ *result.Cell, a *added) Cell { return Int(a.Bytes[a.at]) }),
	)
}

// Aggregations returns the table of aggregations.csv: a row for each interval of each job in each run, of
// switches and of servers.
func Aggregations(cells []result.Cell) Table {
	return runTable("Contributions by time", cells, aggregationColumns(), func(c *result.Cell) (rows []added) {
		for i := range c.Aggregations {
			for at := range c.Aggregations[i].Bytes {
				rows = append(rows, added{&c.Aggregations[i], at})
			}
		}
		return rows
	})
}

// WriteAggregations writes aggregations.csv.
func WriteAggregations(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "aggregations.csv", Aggregations(cells))
}
