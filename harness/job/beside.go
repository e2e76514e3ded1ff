package job

import (
	"cmp"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// leastLeft is the least share of a line that a job is taken to have beside flows (assumed: those
// that ask for more are held back somewhere, or the job does not end).
const leastLeft = 0.1

// BesideFlows returns at most how long the packets of a job take, beside the flows of the lab, for what
// takes them d alone: flows with a rate take their share of a line and have a packet or a write before it,
// and TCP without a rate may fill the queue.
func (s *Spec) BesideFlows(d units.Duration) units.Duration {
	left, queue := s.leftByFlows()
	if left < 1 {
		d = d.Scale(1 / left)
	}
	return d + queue
}

// leftByFlows returns the least share of a line of the job that flows leave, and the longest time that
// their packets are before those of the job.
func (s *Spec) leftByFlows() (left float64, queue units.Duration) {
	left = 1
	for i := range s.Plan.Hosts {
		h := &s.Plan.Hosts[i]
		sw, ok := s.Plan.Switch(h.Switch)
		if !ok {
			continue
		}
		port := &sw.Ports[h.SwitchPort]
		var up, down units.Rate
		var before [2]units.Duration // packets of flows up and down
		for k := range s.Flows {
			f := &s.Flows[k]
			if f.From != h.Name && f.To != h.Name || !s.meets(f) {
				continue
			}
			spec := &port.In
			if f.From == h.Name {
				up, before[0] = up+f.Pattern.Rate, before[0]+port.In.Rate.TimeToSend(f.Pattern.Packet)
			} else {
				down, before[1], spec = down+f.Pattern.Rate, before[1]+port.Out.Rate.TimeToSend(f.Pattern.Packet), &port.Out
			}
			if f.fills(spec) {
				queue = max(queue, queueTime(spec))
			}
		}
		queue = max(queue, before[0], before[1])
		left = min(left, leftOf(port.In.Rate, up), leftOf(port.Out.Rate, down))
	}
	return max(left, leastLeft), queue
}

// meets reports whether a flow and packets of the job may be on one line: at a host of the job, or
// between switches.
func (s *Spec) meets(f *Flow) bool {
	var from, to *plan.Host
	for i := range s.Plan.Hosts {
		switch h := &s.Plan.Hosts[i]; h.Name {
		case f.From:
			from = h
		case f.To:
			to = h
		}
	}
	if from == nil || to == nil || from.Switch != to.Switch {
		return true
	}
	for _, h := range s.Members() {
		if h.Index == from.Index || h.Index == to.Index {
			return true
		}
	}
	return false
}

// fills reports whether a flow may fill the queue before a link: nothing but loss holds it back.
func (f *Flow) fills(spec *topo.LinkSpec) bool {
	return f.Kind == FlowTCP && f.Pattern.Rate == 0 && !(f.ECN && spec.Marking.On())
}

// leftOf returns the share of a line that so much traffic leaves; all of one without a rate.
func leftOf(line, taken units.Rate) float64 {
	switch {
	case line == 0 || taken == 0:
		return 1
	case taken >= line:
		return 0
	}
	return float64(line-taken) / float64(line)
}

// queueTime is how long a line takes for all that its queue holds.
func queueTime(spec *topo.LinkSpec) units.Duration {
	if spec.Rate == 0 {
		return 0
	}
	return spec.Rate.TimeToSend(cmp.Or(spec.Queue, impair.DefaultQueue(spec.Rate)))
}
