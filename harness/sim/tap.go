package sim

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/plan"
)

// Tap sees what crosses the wires of a run, which is then simulated in full, and the events of
// its switches.
type Tap interface {
	trace.Sink

	// Index returns the tap at the interface of a switch; ok is false where there is none.
	Index(node, iface string) (tap int, ok bool)

	// Train takes what crosses a wire, out of the node of its tap or in. The train is
	// borrowed.
	Train(at units.Time, tap int, out bool, t *sansio.Train)
}

// end is an end of a wire, from which trains are sent.
type end struct {
	node NodeID
	port sansio.Port
}

// wires returns what has taps see trains that are sent.
func (r *run) wires(p *plan.Plan, tap Tap) func(NodeID, sansio.Port, *sansio.Train) {
	type view struct {
		tap int
		out bool
	}
	views := map[end]view{} // looked up
	for _, sw := range p.Switches {
		for _, port := range sw.Ports {
			i, ok := tap.Index(sw.Name, port.Iface)
			if !ok || !port.Wired {
				continue
			}
			views[end{r.ids[sw.Name], sansio.Port(port.Index)}] = view{i, true}
			if peer, there := r.ids[port.Peer.Node]; there {
				views[end{peer, peerPort(port)}] = view{i, false}
			}
		}
	}
	return func(from NodeID, port sansio.Port, t *sansio.Train) {
		if v, ok := views[end{from, port}]; ok {
			tap.Train(r.net.now, v.tap, v.out, t)
		}
	}
}

// peerPort is the port of the node at the other end of a wire: a host has one.
func peerPort(port plan.Port) sansio.Port {
	if port.PeerSwitch == plan.None {
		return 0
	}
	return sansio.Port(port.PeerPort)
}
