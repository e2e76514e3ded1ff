package chassis

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// receive takes a train that has come through its link to whoever has it first.
func (c *Chassis) receive(at sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	p := &c.ports[at]
	p.stat.In.add(t)
	if in := c.pfes[p.pfe].inbound; len(in) > 0 {
		c.enter(at, in, t, eff)
		return
	}
	c.deliver(at, t, nil, dataplane.NotMine, eff)
}

// enter takes a train that came by a port to the first of some engines that it has to pass,
// and delivers it where there is none.
func (c *Chassis) enter(at sansio.Port, engines []*engine, t *sansio.Train, eff *sansio.Effects) {
	var asked *engine
	var f dataplane.Frame
	claim := dataplane.NotMine
	for _, e := range engines {
		if !e.sees(t) {
			continue
		}
		if asked == nil {
			f = c.frameAt(at, t)
		}
		asked, claim = e, e.Claims(f)
		if claim == dataplane.InTransit {
			c.serve(e, dataplane.Inbound(at), t, eff)
			return
		}
	}
	c.deliver(at, t, asked, claim, eff)
}

// sees reports whether an engine that wants frames in transit wants those of a train.
func (e *engine) sees(t *sansio.Train) bool {
	h := inet.Ether(t.Header)
	return len(h) >= inet.EtherLen && (e.wants.ARP || h.Type() != inet.TypeARP)
}

// frameAt describes a train that came by a port.
func (c *Chassis) frameAt(at sansio.Port, t *sansio.Train) dataplane.Frame {
	l, problem := t.Layout()
	own := problem == inet.OK && c.plane.Owns(at, t)
	return dataplane.Frame{Port: at, Own: own, Header: t.Header, Layout: l, Problem: problem}
}

// deliver takes a train that came by a port to the engine whose it is, and to
// forwarding where it is of none. One engine has been asked before, and said claim.
func (c *Chassis) deliver(at sansio.Port, t *sansio.Train, asked *engine, claim dataplane.Claim, eff *sansio.Effects) {
	p := &c.pfes[c.ports[at].pfe]
	if others := len(p.engines); others > 1 || others == 1 && (p.engines[0] != asked || claim == dataplane.Mine) {
		if f := c.frameAt(at, t); f.Own && c.claimed(p, &f, t, asked, claim, eff) {
			return
		}
	}
	c.forward(at, t, eff)
}

// claimed takes a train to the switch to the engine that claims it, and reports whether
// one does.
func (c *Chassis) claimed(p *pfe, f *dataplane.Frame, t *sansio.Train, asked *engine, claim dataplane.Claim, eff *sansio.Effects) bool {
	var owner *engine
	for _, e := range p.engines {
		said := claim
		if e != asked {
			said = e.Claims(*f)
		}
		switch {
		case said != dataplane.Mine:
		case owner != nil:
			c.count.Add(dropTwice+"/"+owner.name+"+"+e.name, uint64(t.Frames()))
			return true
		default:
			owner = e
		}
	}
	if owner == nil {
		return false
	}
	if n := unpadded(t, f.Layout); n < len(t.Body) {
		short := *t
		short.Body = t.Body[:n]
		t = &short
	}
	c.serve(owner, f.Port, t, eff)
	return true
}

// forward gives a train to the forwarding plane, and sends what that makes of it.
func (c *Chassis) forward(at sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	out := eff.Sends
	eff.Sends = c.routes[:0]
	c.plane.Forward(c.now, sansio.Arrival{Port: at, Train: *t}, eff)
	c.routes, eff.Sends = eff.Sends, out
	for i := range c.routes {
		r := &c.routes[i]
		c.send(c.ports[at].pfe, nil, r.To, &r.Train, eff)
	}
}

// serve takes a train to an engine, by way of its server.
func (c *Chassis) serve(e *engine, from sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	_, out := dataplane.IsOutbound(from)
	switch {
	case e.server == nil && out && e.late != nil:
		c.offer(e.late, from, t)
	case e.server == nil:
		c.offer(e.part, from, t)
	case e.wants.InTransit(): // sends it on by the port that it came by
		train := e.server.labels.put(target{port: from}, *t, eff)
		c.offer(e.server, from, &train)
	default:
		c.offer(e.server, from, t)
	}
}

// unpadded returns the bytes of the body without what stands behind the UDP
// packet of a single frame, such as the padding of short Ethernet frames.
func unpadded(t *sansio.Train, l inet.Layout) int {
	if l.Proto == inet.ProtoUDP && t.Single() && t.Unstored == 0 {
		return inet.UDP(t.Header[l.Transport:]).Len() - inet.UDPLen
	}
	return len(t.Body)
}
