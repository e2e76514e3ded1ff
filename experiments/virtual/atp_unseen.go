package virtual

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/render"
)

// spreads is how many standard deviations a count may be from its mean, and by how many the ends of an interval
// are moved out.
const spreads = 3

// occupancy is a table of aggregators whose indexes are drawn: each of some jobs draws distinct ones for the places of
// its window, or each of some packets one of its own.
type occupancy struct {
	table  int // aggregators
	jobs   int
	places int // of a job
	apart  bool
}

// wanted is the fragments in flight, of all jobs.
func (o occupancy) wanted() float64 { return float64(o.jobs * o.places) }

// free is the probability that nobody draws any of k given aggregators, k being 1 or 2.
func (o occupancy) free(k int) float64 {
	n := float64(o.table)
	if !o.apart {
		return math.Pow(1-float64(k)/n, o.wanted())
	}
	s, one := float64(o.places), 1.0
	for i := range k {
		one *= (n - s - float64(i)) / (n - float64(i))
	}
	return math.Pow(one, float64(o.jobs))
}

// used is the mean of aggregators that somebody draws: N(1-(1-1/N)^W) of W packets, N(1-(1-S/N)^J) of J jobs with
// S places.
func (o occupancy) used() float64 { return float64(o.table) * (1 - o.free(1)) }

// spread is the standard deviation of that, by the mean of pairs that nobody draws.
func (o occupancy) spread() float64 {
	n, empty := float64(o.table), float64(o.table)*o.free(1)
	return math.Sqrt(empty + n*(n-1)*o.free(2) - empty*empty)
}

// alone is the mean of aggregators of a single place, of jobs whose places are apart.
func (o occupancy) alone() float64 {
	return o.wanted() * math.Pow(1-float64(o.places)/float64(o.table), float64(o.jobs-1))
}

// interval is what a prediction says.
type interval struct{ low, high float64 }

// outside is by how many percent of the nearer end a value is outside.
func (i interval) outside(x float64) float64 {
	switch {
	case x < i.low:
		return 100 * (1 - x/i.low)
	case x > i.high:
		return 100 * (x/i.high - 1)
	}
	return 0
}

// cell shows an interval in a table.
func (i interval) cell(digits int) render.Cell {
	return render.Text(fmt.Sprintf("%.*f to %.*f", digits, i.low, digits, i.high))
}

// steady is jobs that fill the lines of their servers, with indexes that do not move.
type steady struct {
	occupancy
	workers int            // of a job
	frame   units.Duration // on a line
	away    units.Duration // from a parameter packet at the switch to the next packet of its place there
}

// newSteady takes the times from the constants of hosts and links.
func newSteady(e *experiment.Env, o occupancy, workers int) steady {
	frame := frameTime()
	way := units.Microsecond.Scale(e.Constants.Get("link.delay")) + frame + tenantHost(e).Latency
	return steady{occupancy: o, workers: workers, frame: frame, away: 2 * way}
}

// frameTime is what a packet takes of a line.
func frameTime() units.Duration {
	return testbed.Gigabit100.TimeToSend(testbed.ATPFrame + units.EthernetFraming)
}

// frames are those of a fragment on the line to the server, where a share of fragments is added in the switch.
func (s *steady) frames(share float64) float64 { return share + float64(s.workers)*(1-share) }

// fragments is how many a job has in a second.
func (s *steady) fragments(share float64) float64 { return 1 / (s.frames(share) * s.frame.Seconds()) }

// shares are those of fragments that the switch adds. At the lower end each aggregator that somebody wants adds one fragment
// in a round trip: the place that had it comes first again. At the upper one, those that several want are taken again
// at once, and are held for all of a round trip but the part away from the switch.
func (s *steady) shares() interval {
	least := s.used() - spreads*s.spread()
	most := s.used() + spreads*s.spread()
	high := most / s.wanted()
	for range 100 { // the round trip is that of the share
		trip := float64(s.places) * s.frames(high) * s.frame.Seconds()
		held := 1 - s.away.Seconds()/trip
		high = min(1, (s.alone()+(most-s.alone())/held)/s.wanted())
	}
	return interval{least / s.wanted(), high}
}

// over is the interval of what rises with the share.
func (s *steady) over(f func(share float64) float64) interval {
	i := s.shares()
	return interval{f(i.low), f(i.high)}
}

// stillTenant is ATP with a window that stays full, and indexes that do not move.
func stillTenant(e *experiment.Env, aggregators, window int) atp.System {
	s := atpTenant(e, aggregators, window)
	s.Window, s.Fixed, s.Rehash = window, true, atpps.Never
	return s
}

// fragmentsOf is how many packets a tensor has.
func fragmentsOf(size units.Bytes) int {
	return (int(size)/4 + wire.Values - 1) / wire.Values
}
