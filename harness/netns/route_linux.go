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
		if err := n.addRoute(r); err != nil {
			return fmt.Errorf("add route to %v: %w", r.Dst, err)
		}
	}
	for _, nb := range n.node.Neighbors {
		if err := n.addNeighbor(nb); err != nil {
			return fmt.Errorf("add neighbor %v: %w", nb.Addr, err)
		}
	}
	return nil
}

func (n *namespace) addRoute(r Route) error {
	route := netlink.Route{Dst: ipNet(r.Dst.Masked())}
	if r.Via.IsValid() {
		route.Gw = r.Via.AsSlice()
		if err := n.nl.RouteAdd(&route); err != nil {
			return fmt.Errorf("via %v: %w", r.Via, err)
		}
		return nil
	}
	index, err := n.find(r.Iface)
	if err != nil {
		return err
	}
	route.LinkIndex = index
	route.Scope = netlink.SCOPE_LINK
	if err := n.nl.RouteAdd(&route); err != nil {
		return fmt.Errorf("on %s: %w", r.Iface, err)
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
