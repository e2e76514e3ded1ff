package forward

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// group is a multicast group with the lists of ports that its frames leave by,
// made when a port first sends to it.
type group struct {
	ports []sansio.Port
	fans  map[sansio.Port]fan // by the port of arrival; looked up, never ranged over
}

// fan is where the frames of a group go that came in by one port. Between the
// hosts of the subnet they are bridged; over a link between switches they are
// routed, so that their TTL ends a loop between wrongly configured groups.
type fan struct{ bridged, routed []sansio.Port }

// SetGroup has frames of a multicast group forwarded from now on, in place of what was known of it.
func (p *Plane) SetGroup(g Group) error {
	wired := func(at int) bool { return at >= 0 && at < len(p.ports) && p.ports[at].wired }
	if err := g.validate(wired); err != nil {
		return err
	}
	p.setGroup(g)
	return nil
}

func (p *Plane) setGroup(g Group) {
	p.groups[g.Addr.As4()] = &group{ports: g.Ports, fans: map[sansio.Port]fan{}}
}

// DropGroup forgets a multicast group: its frames are dropped from now on.
func (p *Plane) DropGroup(addr netip.Addr) { delete(p.groups, addr.As4()) }

func (p *Plane) fanOf(g *group, in sansio.Port) fan {
	if f, ok := g.fans[in]; ok {
		return f
	}
	var f fan
	for _, at := range g.ports {
		switch {
		case at == in:
		case p.ports[in].host && p.ports[at].host:
			f.bridged = append(f.bridged, at)
		default:
			f.routed = append(f.routed, at)
		}
	}
	g.fans[in] = f
	return f
}

// multicast replicates a frame to the other ports of its group.
func (p *Plane) multicast(in sansio.Arrival, eff *sansio.Effects) {
	ip := inet.IPv4(in.Train.Header[inet.EtherLen:])
	g, ok := p.groups[[4]byte(ip[16:20])]
	if !ok {
		p.drop(unknownGroup(ip), in.Train)
		return
	}
	f := p.fanOf(g, in.Port)
	switch {
	case len(f.bridged)+len(f.routed) == 0:
		p.drop(DropEmptyGroup, in.Train)
		return
	case len(f.bridged) > 0:
		eff.Send(f.bridged, in.Train)
	}
	switch {
	case len(f.routed) == 0:
	case ip.TTL() <= 1: // no ICMP about multicast (RFC 1812 §4.3.2.7)
		p.drop(DropTTL, in.Train)
	default:
		eff.Send(f.routed, p.rewrite(in.Train, inet.Ether(in.Train.Header).Dst(), p.mac, eff))
	}
}

func unknownGroup(ip inet.IPv4) string {
	if linkLocal.Contains(ip.Dst()) {
		return DropLinkLocalGroup
	}
	return DropUnknownGroup
}
