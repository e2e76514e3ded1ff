package render

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// seriesCells are a run with a flow and one of a sweep.
func seriesCells() []result.Cell {
	series := func(interval units.Duration, bytes ...units.Bytes) result.Series {
		return result.Series{Interval: interval, Bytes: bytes}
	}
	one, two := cell("ring", 0.04, 1), cell("switchml256", 0, 2)
	one.Throughput = []result.Throughput{
		{Kind: result.KindJob, Series: series(2*units.Millisecond, 0, 125_000, 7)},
		{Kind: "udp", Name: "noise", Series: series(2*units.Millisecond, 1472, 0, 0)},
	}
	two.Throughput = []result.Throughput{{Kind: result.KindJob, Name: "a", Series: series(5*units.Picosecond, 1, 2)}}
	return []result.Cell{one, two}
}

// Each interval of each job and flow has a row; times and bytes are exact.
func TestSeries(t *testing.T) {
	golden.Equal(t, "series.csv", write(t, Series(seriesCells()), Options{Format: FormatCSV}))
	var b strings.Builder
	if err := WriteSeries(&b, seriesCells()); err != nil || strings.Count(b.String(), "\n") != 9 {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// Of a point of a sweep, the table begins with its keys.
func TestSeriesOfASweep(t *testing.T) {
	cells := seriesCells()
	cells[1].Point = result.Point{Keys: []result.Swept{{Key: "link.delay", Value: "1us"}}}
	if text := write(t, Series(cells[1:]), Options{Format: FormatCSV}); !strings.HasPrefix(text, "link.delay,system,") || !strings.Contains(text, "\n1us,switchml256,") {
		t.Errorf("table:\n%s", text)
	}
}
