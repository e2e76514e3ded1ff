package plan

import (
	"net/netip"
	"slices"
)

// edge is a wired port between two switches.
type edge struct {
	peer     int // index of the switch at the other end
	peerPort int // index of its port
	hop      Hop
}

// fabricEdges returns, for each switch, its edges in the order of ports.
func fabricEdges(switches []Switch) [][]edge {
	edges := make([][]edge, len(switches))
	for i := range switches {
		for _, port := range switches[i].Ports {
			if port.PeerSwitch != None {
				hop := Hop{Port: port.Index, MAC: port.PeerMAC}
				edges[i] = append(edges[i], edge{peer: port.PeerSwitch, peerPort: port.PeerPort, hop: hop})
			}
		}
	}
	return edges
}

// distances returns how many links each switch is from one of them. Every
// switch is within reach: the graph is connected and hosts do not forward.
func distances(edges [][]edge, from int) []int {
	dist := slices.Repeat([]int{-1}, len(edges))
	dist[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range edges[at] {
			if dist[e.peer] < 0 {
				dist[e.peer] = dist[at] + 1
				queue = append(queue, e.peer)
			}
		}
	}
	return dist
}

// addRoutes gives every switch a route to every other one's subnet, or to its
// router address where it has no hosts: over each port whose far end is one
// link closer. Every hop comes closer, so no path loops.
func (b *builder) addRoutes() {
	switches := b.p.Switches
	edges := fabricEdges(switches)
	for to := range switches {
		dst := switches[to].Subnet
		if !dst.IsValid() {
			dst = netip.PrefixFrom(switches[to].Router, routerBits)
		}
		dist := distances(edges, to)
		for at := range switches {
			if at == to {
				continue
			}
			var hops []Hop
			for _, e := range edges[at] {
				if dist[e.peer] < dist[at] {
					hops = append(hops, e.hop)
				}
			}
			switches[at].addRoute(dst, hops)
		}
	}
}

// addRoute appends a route. Hops like those of the route before, as between
// the leaves of a leaf-spine, share its memory: a full-sized fabric has
// millions of them.
func (s *Switch) addRoute(dst netip.Prefix, hops []Hop) {
	if n := len(s.Routes); n > 0 && slices.Equal(s.Routes[n-1].Hops, hops) {
		hops = s.Routes[n-1].Hops
	}
	s.Routes = append(s.Routes, Route{Dst: dst, Hops: hops})
}
