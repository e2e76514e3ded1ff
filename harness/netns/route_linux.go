package netns

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// addRoutes adds routes and permanent neighbors once all interfaces are up.
func (n *namespace) addRoutes() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.node.Routes {
		if err := n.nl.RouteAdd(&netlink.Route{Dst: ipNet(r.Dst.Masked()), Gw: r.Via.AsSlice()}); err != nil {
			return fmt.Errorf("add route to %v: via %v: %w", r.Dst, r.Via, err)
		}
	}
	for _, nb := range n.node.Neighbors {
		if err := n.addNeighbor(nb); err != nil {
			return fmt.Errorf("add neighbor %v: %w", nb.Addr, err)
		}
	}
	return nil
}

func (n *namespace) addNeighbor(nb Neighbor) error {
	for _, a := range n.addrs {
		if !a.prefix.Contains(nb.Addr) {
			continue
		}
		index, err := n.find(a.iface)
		if err != nil {
			return err
		}
		return n.nl.NeighSet(&netlink.Neigh{
			LinkIndex:    index,
			Family:       unix.AF_INET,
			State:        netlink.NUD_PERMANENT,
			IP:           nb.Addr.AsSlice(),
			HardwareAddr: nb.MAC[:],
		})
	}
	return fmt.Errorf("no interface of the node has a prefix that holds it")
}
