package forward

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Config describes the forwarding plane of one switch.
type Config struct {
	Switch plan.Switch
	MTU    int // largest IP packet in bytes; zero means topo.DefaultMTU
	Groups []Group
	Seed   rng.Root // of the choice between equal-cost paths
}

// Group is a multicast group as one switch knows it.
type Group struct {
	Addr  netip.Addr    // IPv4, multicast, outside 224.0.0.0/24
	Ports []sansio.Port // by which its frames leave, the one they came by excepted
}

// linkLocal are the groups that no router forwards (RFC 5771 §4).
var linkLocal = netip.PrefixFrom(netip.AddrFrom4([4]byte{224, 0, 0, 0}), 24)

// validate reports all faults of c, joined.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !c.Switch.Router.Is4() {
		fault("router address %v is not IPv4", c.Switch.Router)
	}
	if c.MTU < 0 {
		fault("mtu %d is negative: it must be positive, or zero for %d", c.MTU, topo.DefaultMTU)
	}
	for i, p := range c.Switch.Ports {
		if p.Index != i {
			fault("port %s has index %d at place %d: ports stand in the order of their indexes", p.Name, p.Index, i)
		}
	}
	for _, n := range c.Switch.Neighbors {
		if !c.wired(n.Port) {
			fault("neighbor %v is at port %d, which has no link", n.Addr, n.Port)
		}
	}
	for _, r := range c.Switch.Routes {
		errs = append(errs, c.validateRoute(r))
	}
	seen := map[netip.Addr]bool{}
	for _, g := range c.Groups {
		if seen[g.Addr] {
			fault("group %v is given twice", g.Addr)
		}
		seen[g.Addr] = true
		errs = append(errs, g.validate(c.wired))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("forwarding of switch %q: %w", c.Switch.Name, err)
	}
	return nil
}

func (c *Config) wired(port int) bool {
	return port >= 0 && port < len(c.Switch.Ports) && c.Switch.Ports[port].Wired
}

func (c *Config) validateRoute(r plan.Route) error {
	if !r.Dst.IsValid() || !r.Dst.Addr().Is4() {
		return fmt.Errorf("route to %v is not IPv4", r.Dst)
	}
	if len(r.Hops) == 0 {
		return fmt.Errorf("route to %v has no next hop", r.Dst)
	}
	for _, h := range r.Hops {
		if !c.wired(h.Port) {
			return fmt.Errorf("route to %v leaves by port %d, which has no link", r.Dst, h.Port)
		}
	}
	return nil
}

func (g *Group) validate(wired func(port int) bool) error {
	if !g.Addr.Is4() || !g.Addr.IsMulticast() || linkLocal.Contains(g.Addr) {
		return fmt.Errorf("group %v is not a multicast address that is forwarded: use one of 224.0.1.0 to 239.255.255.255", g.Addr)
	}
	seen := map[sansio.Port]bool{}
	for _, p := range g.Ports {
		if !wired(int(p)) {
			return fmt.Errorf("group %v: port %d has no link", g.Addr, p)
		}
		if seen[p] {
			return fmt.Errorf("group %v names port %d twice", g.Addr, p)
		}
		seen[p] = true
	}
	return nil
}
