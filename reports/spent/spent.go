package spent

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Spent is where the time of a mean iteration went.
type Spent struct {
	Iteration                                    units.Duration
	Compute, Delay, Wire, Waiting, Resends, Rest units.Duration

	For   string  // the host that was waited for longest; empty: nobody waited
	Share float64 // of the waiting that is for it
}

// Of returns where the time of a run went; ok is false where that is not known.
func Of(c *result.Cell) (s Spent, ok bool) {
	if len(c.Samples) == 0 || c.Compute == 0 {
		return s, false
	}
	var delay units.Duration
	for i := range c.Samples {
		s.Iteration += c.Samples[i].End.Sub(c.Samples[i].Start)
		delay += c.Samples[i].Delay
	}
	n := units.Duration(len(c.Samples))
	s.Iteration /= n
	left := s.Iteration
	take := func(d units.Duration) units.Duration {
		d = min(max(0, d), left)
		left -= d
		return d
	}
	s.Compute, s.Delay, s.Wire = take(c.Compute), take(delay/n), take(c.Wire)
	waited, by := waiting(c)
	s.Waiting = take(waited)
	if c.Blocks != nil && c.Iterations > 0 {
		s.Resends = take(c.Blocks.Resending / units.Duration(c.Iterations))
	}
	s.Rest = left
	s.For, s.Share = most(c, by)
	if s.Waiting == 0 {
		s.For, s.Share = "", 0
	}
	return s, true
}

// waiting returns for how long a worker waits for the last one in the mean, and by worker the sum that is for it.
func waiting(c *result.Cell) (mean units.Duration, by map[int]units.Duration) {
	iterations := map[int][]result.Sample{} // looked up
	for _, s := range c.Samples {
		iterations[s.Iteration] = append(iterations[s.Iteration], s)
	}
	by = map[int]units.Duration{} // looked up
	var sum units.Duration
	for _, list := range iterations {
		last := slices.MaxFunc(list, func(a, b result.Sample) int { return int(min(1, max(-1, ready(c, &a).Sub(ready(c, &b))))) })
		for i := range list {
			d := ready(c, &last).Sub(ready(c, &list[i]))
			sum += d
			by[last.Worker] += d
		}
	}
	return sum / units.Duration(len(c.Samples)), by
}

// ready is when a worker had computed, but for the mean compute time, which all have.
func ready(c *result.Cell, s *result.Sample) units.Time {
	at := s.Start.Add(s.Delay)
	if s.Worker < len(c.Computes) {
		at = at.Add(c.Computes[s.Worker] - slices.Min(c.Computes))
	}
	return at
}

// most returns the host that was waited for longest, the first of several.
func most(c *result.Cell, by map[int]units.Duration) (host string, share float64) {
	var sum, longest units.Duration
	for _, d := range by {
		sum += d
	}
	for w, name := range c.Hosts {
		if by[w] > longest {
			host, longest = name, by[w]
		}
	}
	if sum > 0 {
		share = float64(longest) / float64(sum)
	}
	return host, share
}

// Busiest returns the direction of a link whose line was used most; ok is false where there is none.
func Busiest(c *result.Cell) (l result.Link, ok bool) {
	for i := range c.Links {
		if c.Links[i].Use > l.Use {
			l, ok = c.Links[i], true
		}
	}
	return l, ok
}
