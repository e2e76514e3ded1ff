package plan

// Towards returns the way of a switch's own frames to a host: the port, and the MAC of who is
// there, the host or the next switch. Of several ways it is the first.
func (s *Switch) Towards(h *Host) Hop {
	if h.Switch == s.Name {
		return Hop{Port: h.SwitchPort, MAC: h.MAC}
	}
	for _, r := range s.Routes {
		if r.Dst.Contains(h.Addr.Addr()) {
			return r.Hops[0]
		}
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
