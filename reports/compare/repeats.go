package compare

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Repeat is what a run came to with several seeds: each seed is one value.
type Repeat struct {
	System, Job, Lab, Topology string
	StraggleP                  float64 // fraction
	Point                      result.Point
	Seeds                      []uint64
	Iter                       stat.Estimate // mean iteration time in ms
	Speedup                    stat.Estimate // over the baseline with the same seed
	Invalid                    int           // runs that were left out, since they are not to be believed
}

// Repeats joins rows that differ in their seed alone, in the order of the first of each. Without two seeds there are none.
func Repeats(rows []Row) (out []Repeat) {
	var groups [][]*Row
	for i := range rows {
		r := &rows[i]
		if r.Computed {
			continue
		}
		at := -1
		for k, g := range groups {
			if sameButSeed(g[0], r) {
				at = k
			}
		}
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], r)
	}
	for _, g := range groups {
		if len(g) > 1 {
			out = append(out, newRepeat(g))
		}
	}
	return out
}

func sameButSeed(a, b *Row) bool {
	return a.Point.Index == b.Point.Index && a.System == b.System && a.Job == b.Job && a.Lab == b.Lab && a.Topology == b.Topology &&
		a.Model == b.Model && a.Clock == b.Clock && a.StraggleP == b.StraggleP && a.Scale == b.Scale && a.Workers == b.Workers
}

func newRepeat(group []*Row) Repeat {
	first := group[0]
	out := Repeat{System: first.System, Job: first.Job, Lab: first.Lab, Topology: first.Topology, StraggleP: first.StraggleP, Point: first.Point}
	var times, ratios []float64
	for _, r := range group {
		ms, ok := r.Time()
		if r.Invalid() || !ok {
			out.Invalid++
			continue
		}
		out.Seeds = append(out.Seeds, r.Seed)
		times = append(times, ms)
		if r.Speedup.Known() && !r.SpeedupInvalid {
			ratios = append(ratios, r.Speedup.Value)
		}
	}
	out.Iter, out.Speedup = stat.Mean(times), stat.Mean(ratios)
	return out
}
