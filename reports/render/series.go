package render

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// moment is an interval of a series: a row of series.csv.
type moment struct {
	*result.Throughput
	at int
}

// seriesColumns returns the columns in the order of series.csv, behind those of swept keys.
func seriesColumns() []runColumn[moment] {
	return append(ofRun[moment](),
		column("kind", "", "job, or udp or tcp of a flow", func(_ *result.Cell, m *moment) Cell { return Text(m.Kind) }),
		column("name", "", "of the job or flow; empty: the only job", func(_ *result.Cell, m *moment) Cell { return Text(m.Name) }),
		column("start_s", "s", "when the interval begins, since the epoch of the run; it ends where the next one begins", func(_ *result.Cell, m *moment) Cell { return seconds(m.Start(m.at)) }),
		column("bytes", "B", "payload of UDP, or of byte streams, that all workers of the job, or the receiver of the flow, were given in the interval", func(_ *result.Cell, m *moment) Cell { return Int(m.Bytes[m.at]) }),
		column("throughput", "bit/s", "these bytes over the whole interval, also of the last, in which the run ends", func(_ *result.Cell, m *moment) Cell { return Int(int64(m.Rate(m.at))) }),
	)
}

// seconds returns a cell of a time, to the picosecond.
func seconds(t units.Time) Cell {
	s := trimmed(t.Seconds(), 12)
	return Cell{people: s, program: s}
}

// Series returns the table of series.csv: a row for each interval of each job and flow in each
// run.
func Series(cells []result.Cell) Table {
	return runTable("Throughput by time", cells, seriesColumns(), func(c *result.Cell) (rows []moment) {
		for i := range c.Throughput {
			for at := range c.Throughput[i].Bytes {
				rows = append(rows, moment{&c.Throughput[i], at})
			}
		}
		return rows
	})
}

// WriteSeries writes series.csv.
func WriteSeries(w io.Writer, cells []result.Cell) error {
	if err := Write(w, Series(cells), Options{Format: FormatCSV}); err != nil {
		return fmt.Errorf("series.csv: %w", err)
	}
	return nil
}
