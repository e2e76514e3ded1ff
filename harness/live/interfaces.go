package live

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/plan"
)

// withInterfaces gives the hosts of jobs the interfaces that their systems ask for.
func withInterfaces(spec netns.Spec, s *job.Set) netns.Spec {
	for _, j := range s.Jobs {
		for _, h := range j.Members() {
			equip(&spec, &h, &j.Layout)
		}
	}
	return spec
}

// equip changes the namespace and the wire of a host. A host with a protocol of its own is silent:
// peers may send before its sockets are open, or when they are closed, and an ICMP error for
// that costs the peer its next packet. The switch's end of a host with an XDP program has GRO: what the
// program sends is lost without.
func equip(spec *netns.Spec, h *plan.Host, l *job.Layout) {
	if l.Protocol != 0 {
		n := slices.IndexFunc(spec.Nodes, func(n netns.Node) bool { return n.Name == h.Name })
		spec.Nodes[n].Silent = true
	}
	for i := range spec.Wires {
		w := &spec.Wires[i]
		other := &w.B
		switch h.Name {
		case w.A.Node:
		case w.B.Node:
			other = &w.A
		default:
			continue
		}
		w.Queues = max(w.Queues, l.Queues)
		other.GRO = other.GRO || l.XDP
	}
}
