package capacity

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Name is what a trial of a set is called: what runs, and where.
func Name(s *job.Set) string { return s.Name() + " on " + s.Plan().Name }

// Unlimited reports whether lines of hosts have no rate. They then carry what the machine gives,
// and no scale is too small for it.
func Unlimited(sets []*job.Set) bool {
	return slices.ContainsFunc(sets, func(s *job.Set) bool { return Lines(s) == 0 })
}

// Carried says that a set runs on every machine, without a trial: its lines carry little.
func Carried(sets []*job.Set) bool {
	for _, s := range sets {
		if Lines(s) > fewLines {
			return false
		}
	}
	return true
}

// Refuse returns why no machine carries sets at the scale that they were laid out at; nil: one might.
func Refuse(sets []*job.Set) error {
	for _, s := range sets {
		if l := Lines(s); l > mostLines {
			scale := s.First().Scale
			return fmt.Errorf("scale %d: the lines of the hosts of %s carry %v together, and a switch in software %v at most: set scale=%d or more, or scale=auto, or take --clock virtual",
				scale, s.Plan().Name, l, mostLines, times(scale, int64(l), int64(mostLines)))
		}
	}
	return nil
}

// NewSearch returns where a scale is looked for, of sets that were laid out at the one to start with.
func NewSearch(sets []*job.Set, processors int) Search {
	start := sets[0].First().Scale
	out := Search{Start: start, Least: 1, Most: mostTimes * start, Processors: processors}
	for _, s := range sets {
		out.Least = max(out.Least, times(start, int64(Lines(s)), int64(mostLines)), times(start, int64(Kept(s)), int64(mostKept)))
	}
	return out
}

// times returns the least scale at which what is n at one scale is at most a limit.
func times(scale int, n, limit int64) int {
	return int((int64(scale)*(n/1000) + limit/1000 - 1) / (limit / 1000))
}

// Overloaded returns why this machine does not carry a scale that was asked for; nil: processor time
// does not forbid it.
func Overloaded(scale, processors int, trials []Trial) error {
	t := sum(scale, processors, trials)
	if t.Load.Share <= tolerance {
		return nil
	}
	return fmt.Errorf("scale %d: this machine does not carry it: %s: set scale=%d or more, or scale=auto, or take --clock virtual",
		scale, t.overload(), round(float64(scale)*t.Load.Share))
}

// Slow returns the set whose iterations were too slow in its trial, by name, and what was measured.
func Slow(trials []Trial) map[string]string {
	out := map[string]string{}
	for i := range trials {
		if one := sum(0, 1, trials[i:i+1]); one.Slow != "" {
			out[trials[i].Name] = one.Slow
		}
	}
	return out
}

// TooSlow reports whether the mean iteration of a run took longer than allowed, of what was expected
// with its stragglers.
func TooSlow(c *result.Cell) bool {
	var sum units.Duration
	for _, s := range c.Samples {
		sum += s.End.Sub(s.Start)
	}
	n := units.Duration(len(c.Samples))
	return n > 0 && c.Expected > 0 && sum/n > c.Expected.Scale(1+slower)
}
