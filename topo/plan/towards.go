package plan

import "net/netip"

// Towards returns the way of a switch's own frames to a host: the port, and the MAC of who is
// there, the host or the next switch. Of several ways it is the first.
func (s *Switch) Towards(h *Host) Hop {
	if h.Switch == s.Name {
		return Hop{Port: h.SwitchPort, MAC: h.MAC}
	}
	if hop, ok := s.RouteTo(h.Addr.Addr()); ok {
		return hop
	}
	panic("plan: switch " + s.Name + " has no route to " + h.Name + ": every switch has one to each subnet")
}

// Host returns the host of that name.
func (p *Plan) Host(name string) (*Host, bool) {
	for i := range p.Hosts {
		if p.Hosts[i].Name == name {
			return &p.Hosts[i], true
		}
	}
	return nil, false
}

// RouteTo returns the way of a switch's own frames to an address on another switch, or to its
// router; false if there is none. Of several ways it is the first.
func (s *Switch) RouteTo(addr netip.Addr) (Hop, bool) {
	for _, r := range s.Routes {
		if r.Dst.Contains(addr) {
			return r.Hops[0], true
		}
	}
	return Hop{}, false
}
