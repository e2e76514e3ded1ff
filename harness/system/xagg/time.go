package xagg

import (
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/xagg/rates"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// time is that of an all-reduce to which all come at once. Sums leave while gradients come, and results
// while sums come, so that the slowest link of the tree takes its share of the whole, and the others wait
// no longer than for a packet: the link of a node with k children carries k gradients. Before that, rates
// are negotiated.
func (l *laid) time() units.Duration {
	fragments := units.Bytes(agent.Fragments(l.j.Params, l.values()))
	frame := units.Bytes(wire.FrameLen(l.values())) + units.EthernetFraming
	var longest units.Duration
	for host := range l.hosts {
		in, out := l.line(host)
		arriving, leaving := units.Bytes(len(l.tree.Children(host))), units.Bytes(1)
		if host < l.tree.Workers {
			arriving = 1
		}
		longest = max(longest, in.TimeToSend(arriving*fragments*frame), out.TimeToSend(leaving*fragments*frame))
	}
	hops := units.Duration(l.tree.Height())
	return longest + l.negotiation() + hops*(l.j.Latency(wire.FrameLen(l.values()))+l.j.FrameTime(1, wire.FrameLen(l.values())))
}

// negotiation is how long a worker waits for its first rate: that of its server and the PS is in it.
func (l *laid) negotiation() units.Duration {
	if l.j.Virtual && !l.Prompt {
		return rates.PaperInitial.Worker
	}
	return 0
}
