package job

import (
	"math"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

const (
	// streamTimeout is the least retransmission timeout of TCP, of Linux and of package newreno
	// (RFC 6298 has a second). Systems that say no timeout of their own recover faster.
	streamTimeout = 200 * units.Millisecond

	// streamsLonger is how many times the analytic time byte streams may take: their steps follow one
	// another, windows grow, and acknowledgements wait behind data (assumed; 1.5 to 2 where hosts cost nothing).
	streamsLonger = 2
)

// Bound returns at most how long an iteration of a job takes in the mean with what the run asks for: loss,
// stragglers, traffic, other jobs, changes of links and what is done to processes. It is zero where
// nothing is known: of benchmarks, and where hosts or PFEs cost time, which experiments compare with papers.
// lost is how many frames links dropped in the run.
func (s *Set) Bound(j *Job, lost uint64) units.Duration {
	if j.Elements > 0 || j.Host != (hostmodel.Model{}) || j.FlowHost != (hostmodel.Model{}) || j.Layout.Servers != nil || j.Layout.Time == 0 {
		return 0
	}
	n := units.Duration(j.Iterations)
	mean, _ := j.Expect()
	mean += s.communication(j) - j.Layout.Time
	mean += s.recovery(j, lost) + units.Duration(s.Settled())/n
	if j.Layout.Uneven { // what finds no room waits for a timeout, once in each refill of the window
		mean += j.Layout.Timeout * units.Duration(j.refills())
	}
	return mean
}

// communication is at most the time of an all-reduce, without loss.
func (s *Set) communication(j *Job) units.Duration {
	d := j.Layout.Time
	if j.Layout.Peers != nil {
		d *= streamsLonger
	}
	if len(s.Plan().Switches) > 1 || s.Plan().Switches[0].Chassis != nil {
		d *= units.Duration(len(s.Jobs)) // that may share lines between switches
	}
	if slow := s.First().slowdown(); slow > 1 {
		d = d.Scale(slow)
	}
	alone := s.First().BesideFlows(d) - d
	_, queue := s.First().leftByFlows()
	return d + alone + queue*units.Duration(max(0, j.refills()-1))
}

// refills is how often a worker waits for an answer in an all-reduce at least: for each refill of its
// window, or for each step of byte streams.
func (j *Job) refills() int {
	w := j.Layout.Window
	if w == 0 {
		return max(1, 2*(len(j.Hosts())-1))
	}
	blocks := (j.Params + j.Layout.Block - 1) / j.Layout.Block
	return (blocks+w-1)/w + 1
}

// slowdown is how many times slower the slowest line becomes by changes of links.
func (s *Spec) slowdown() float64 {
	factor := 1.0
	model := s.modelled()
	for _, c := range s.Changes {
		at := model[[2]topo.End{c.From, c.To}]
		before := s.Plan.Switches[at.sw].Ports[at.port].Out.Rate
		if at.inbound {
			before = s.Plan.Switches[at.sw].Ports[at.port].In.Rate
		}
		if before > 0 && c.Spec.Rate > 0 {
			factor = max(factor, float64(before)/float64(c.Spec.Rate))
		}
	}
	return factor
}

// recovery is at most what lost frames add to an iteration in the mean. Each slot of a window is a chain of
// blocks, and a block any of whose frames is lost waits for a timeout; the longest chain holds up all.
// Of systems without slots or without a timeout of their own, every lost frame is taken to hold up all for
// one, of TCP or of their own.
func (s *Set) recovery(j *Job, lost uint64) units.Duration {
	p, burst := s.First().loss()
	if j.Layout.Timeout == 0 || j.Layout.Window == 0 {
		return streamTimeout.Scale(burst * float64(lost) / float64(j.Iterations))
	}
	if p == 0 { // what was lost found queues full
		if len(s.First().Flows) == 0 {
			return 0
		}
		return j.Layout.Timeout.Scale(float64(lost) / float64(j.Iterations))
	}
	return j.Layout.Timeout.Scale(burst * serial(p, j.refills(), j.Layout.Window))
}

// serial is about how many timeouts follow one another in the slot that has most of them, of so many slots
// with so many blocks each of which fails with probability p: the mean, and what the largest of so many
// deviates from it.
func serial(p float64, blocks, slots int) float64 {
	if p >= 1 {
		return math.Inf(1)
	}
	mean := float64(blocks) * p / (1 - p)
	spread := math.Log(float64(max(2, slots)))
	return min(mean*float64(slots), mean+math.Sqrt(2*spread*mean/(1-p))+spread/2)
}

// loss returns the probability that a block loses some frame, which crosses every link once each way, and
// the mean length of a burst of losses in frames; 1 where they are single.
func (s *Spec) loss() (p, burst float64) {
	kept, burst := 1.0, 1.0
	take := func(specs ...topo.LinkSpec) {
		for _, l := range specs {
			q := (1 - l.Loss) * (1 - l.Corrupt)
			if l.LossEvery > 0 {
				q *= 1 - 1/float64(l.LossEvery)
			}
			if b := l.Bursts; b != (topo.Bursts{}) {
				q *= 1 - b.Mean()
				if b.Leave > 0 {
					burst = max(burst, 1/b.Leave)
				}
			}
			kept *= q
		}
	}
	for i := range s.Plan.Switches {
		sw := &s.Plan.Switches[i]
		for _, port := range sw.Ports {
			switch {
			case !port.Wired:
			case port.PeerHost != plan.None:
				take(port.In, port.Out)
			default:
				take(port.Out)
			}
		}
		if sw.Chassis != nil {
			take(slices.Repeat([]topo.LinkSpec{sw.Chassis.Fabric}, 2*len(sw.Chassis.PFEs))...)
		}
	}
	for _, c := range s.Changes {
		take(c.Spec)
	}
	return 1 - kept, burst
}
