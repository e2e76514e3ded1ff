package runfigure

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/figure"
)

// counts are plain numbers.
var counts = []scale{{"thousands", 1e3}, {"", 1}}

// aggregations are contributions by time, of switches and of servers.
var aggregations = quantity{
	of: func(c *result.Cell) (out []result.Throughput) {
		for _, a := range c.Aggregations {
			out = append(out, result.Throughput(a))
		}
		return out
	},
	value: func(s *result.Series, at int) float64 { return float64(s.Bytes[at]) }, label: "contributions", scales: counts,
	note: "Contributions that came to servers in each interval of %s: in sums of several workers, which switches added, and alone. Nothing is smoothed.",
}

// Aggregations returns the figure of contributions by time: a panel for each run, and in it for each job a line
// of what switches added, and one of what servers did. ok is false where no run has a series to be
// believed.
func Aggregations(id, title string, cells []result.Cell) (f figure.Figure, ok bool) {
	return aggregations.draw(id, title, cells)
}
