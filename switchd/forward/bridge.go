package forward

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// bridge sends a frame to the host of that MAC. Only hosts are bridged: between
// switches everything is routed.
func (p *Plane) bridge(in sansio.Arrival, dst inet.MAC, eff *sansio.Effects) {
	at, ok := p.byMAC[dst]
	switch {
	case !ok || !p.ports[in.Port].host:
		p.drop(DropUnknownUnicast, in.Train)
	case at == in.Port:
		p.drop(DropSamePort, in.Train)
	default:
		eff.Send(p.ports[at].self, in.Train)
	}
}

// arp answers requests for the router and carries the others between hosts.
func (p *Plane) arp(in sansio.Arrival, eff *sansio.Effects) {
	h := in.Train.Header
	arp := inet.ARP(h[inet.EtherLen:])
	dst := inet.Ether(h).Dst()
	switch {
	case !arp.Valid():
		p.drop(DropBadARP, in.Train)
	case arp.Op() == inet.ARPRequest && arp.TargetIP() == p.router:
		p.answerARP(in, arp, eff)
	case dst == inet.BroadcastMAC:
		p.flood(in, eff)
	case p.ownMAC(in.Port, dst):
		p.drop(DropARPReply, in.Train)
	case dst.IsMulticast():
		p.drop(DropBadARP, in.Train)
	default:
		p.bridge(in, dst, eff)
	}
}

func (p *Plane) answerARP(in sansio.Arrival, req inet.ARP, eff *sansio.Effects) {
	frame := eff.Header(inet.EtherLen + inet.ARPLen)
	inet.Ether(frame).Put(req.SenderMAC(), p.mac, inet.TypeARP)
	inet.ARP(frame[inet.EtherLen:]).PutReply(p.mac, p.router, req)
	p.count.Add(CountARPAnswered, 1)
	eff.Send(p.ports[in.Port].self, sansio.Train{Header: frame})
}

// flood sends an ARP broadcast to all other hosts. Those are asked seldom, so
// the list of ports is made each time: kept for each port, the lists of a large
// rack would outgrow everything else here.
func (p *Plane) flood(in sansio.Arrival, eff *sansio.Effects) {
	if !p.ports[in.Port].host {
		p.drop(DropBroadcast, in.Train)
		return
	}
	to := slices.DeleteFunc(slices.Clone(p.hosts), func(at sansio.Port) bool { return at == in.Port })
	if len(to) > 0 {
		eff.Send(to, in.Train)
	}
}
