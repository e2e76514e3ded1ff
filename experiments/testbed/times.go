package testbed

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Took returns the time from the first begin of a round to its last end.
func Took(samples []result.Sample, round int) units.Duration {
	from, to := units.Never, units.Time(0)
	for _, s := range samples {
		if s.Iteration == round {
			from, to = min(from, s.Start), max(to, s.End)
		}
	}
	return to.Sub(from)
}

// MeanIteration returns the mean time of an iteration over workers and
// iterations.
func MeanIteration(c *result.Cell) units.Duration {
	var sum units.Duration
	for _, s := range c.Samples {
		sum += s.End.Sub(s.Start)
	}
	return sum / units.Duration(max(1, len(c.Samples)))
}
