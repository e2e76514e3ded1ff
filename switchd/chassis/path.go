package chassis

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Reasons for which the chassis itself drops what engines claim or send. Behind each
// stands who did so, as in "claimed-twice/pfe1+pfe1/police" and
// "unnamed-port/pfe1->et-0-0-3".
const (
	dropTwice    = "claimed-twice"    // claimed as theirs by two engines
	dropUnnamed  = "unnamed-port"     // by a port that the engine does not name in Ports
	dropNoPort   = "no-such-port"     // by a port that is not there, has no link, or is of another PFE
	dropReplaced = "program-replaced" // inside a program that was replaced
)

// passOn takes what a part just sent to where it goes next.
func (c *Chassis) passOn(p *part, eff *sansio.Effects) {
	for i := range c.list {
		s := &c.list[i]
		switch {
		case p.link == nil:
			c.sent(p.engine, s, eff)
		case p.engine != nil:
			c.served(p, &s.Train, eff)
		case p.stage == ingress:
			c.receive(p.port, &s.Train, eff)
		default:
			train, l := p.labels.strip(s.Train, eff)
			c.emerge(p.src, p.pfe, l.target, &train, eff)
		}
	}
	if p.link != nil && p.link.InFlight() == 0 && len(c.held) == 0 {
		p.labels.clear()
	}
}

// served takes a train from a server to the engine behind it.
func (c *Chassis) served(p *part, t *sansio.Train, eff *sansio.Effects) {
	if !p.engine.wants.InTransit() {
		c.offer(p.engine.part, dataplane.Served, t)
		return
	}
	train, l := p.labels.strip(*t, eff)
	c.offer(p.engine.part, l.target.port, &train)
}

// sent takes what an engine sent to the ports that it may send by. Trains in transit go
// on where they came in.
func (c *Chassis) sent(e *engine, s *sansio.Send, eff *sansio.Effects) {
	lo, transit := len(c.lists), 0
	for _, p := range s.To {
		switch {
		case e.mayUse(p):
			c.lists = append(c.lists, p)
		case c.isOnWay(e, p):
			transit++
		default:
			c.count.Add(c.refusal(e, p), uint64(s.Train.Frames()))
		}
	}
	to := c.lists[lo:len(c.lists):len(c.lists)]
	for i := 0; transit > 0; i++ {
		if c.isOnWay(e, s.To[i]) {
			c.goOn(e, s.To[i], &s.Train, eff)
			transit--
		}
	}
	if len(to) == len(s.To) {
		c.lists, to = c.lists[:lo], s.To
	}
	c.made += uint64(s.Train.Frames() * len(to))
	c.send(e.pfe, e, to, &s.Train, eff)
}

// isOnWay reports whether an engine may send by p what is on its way: p is of a port of
// its PFE.
func (c *Chassis) isOnWay(e *engine, p sansio.Port) bool {
	at, ok := dataplane.IsInbound(p)
	if !ok {
		at, ok = dataplane.IsOutbound(p)
	}
	return ok && c.isWired(at) && c.ports[at].pfe == e.pfe
}

// goOn sends a train on its way as if the engine had not been there: behind a program on
// arrival stands the system's engine, behind that on leaving stand the programs.
func (c *Chassis) goOn(e *engine, p sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	here := &c.pfes[e.pfe]
	if at, ok := dataplane.IsInbound(p); ok {
		if s := here.system; e != s && s != nil && s.wants.Transit {
			c.enter(at, here.inbound[len(here.inbound)-1:], t, eff)
			return
		}
		c.deliver(at, t, e, dataplane.NotMine, eff)
		return
	}
	at, _ := dataplane.IsOutbound(p)
	to := c.ports[at].self
	if e == here.system && len(here.outbound) > 1 {
		to = c.intercept(here.outbound[1:], nil, to, t, eff)
	}
	if len(to) > 0 {
		c.out(to, t, eff)
	}
}

// refusal returns the reason for which an engine may not send by p.
func (c *Chassis) refusal(e *engine, p sansio.Port) string {
	if c.isWired(p) {
		return dropUnnamed + "/" + e.name + "->" + c.cfg.Switch.Ports[p].Name
	}
	if pfe, ok := dataplane.IsFabric(p); ok && pfe < len(c.pfes) {
		return dropUnnamed + "/" + e.name + "->" + c.cfg.pfeName(pfe)
	}
	return dropNoPort + "/" + e.name
}

// send takes a train from a PFE to its ports: at once to those of the same PFE,
// across the fabric, once for each, to other PFEs. An engine made it, or forwarding.
func (c *Chassis) send(src int, e *engine, to []sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	if len(c.pfes) == 1 {
		c.leave(src, e, to, t, eff)
		return
	}
	for _, p := range to {
		if dst, ok := dataplane.IsFabric(p); ok {
			c.cross(src, dst, target{engine: e.peers[dst]}, t, eff)
		}
	}
	for dst := range c.pfes {
		ports := c.portsOf(dst, to)
		switch {
		case len(ports) == 0:
		case dst == src:
			c.leave(dst, e, ports, t, eff)
		default:
			c.cross(src, dst, target{ports: ports}, t, eff)
		}
	}
}

// portsOf returns the front-panel ports of a PFE among to.
func (c *Chassis) portsOf(pfe int, to []sansio.Port) []sansio.Port {
	n := 0
	for _, p := range to {
		if c.isPortOf(pfe, p) {
			n++
		}
	}
	if n == len(to) {
		return to
	}
	lo := len(c.lists)
	for _, p := range to {
		if c.isPortOf(pfe, p) {
			c.lists = append(c.lists, p)
		}
	}
	return c.lists[lo:len(c.lists):len(c.lists)]
}

func (c *Chassis) isPortOf(pfe int, p sansio.Port) bool {
	_, fabric := dataplane.IsFabric(p)
	return !fabric && c.ports[p].pfe == pfe
}

// cross takes a train over the fabric; every frame between two PFEs passes
// here, so this is where a tap on the fabric belongs.
func (c *Chassis) cross(src, dst int, to target, t *sansio.Train, eff *sansio.Effects) {
	path := c.fabric[src*len(c.pfes)+dst]
	if path == nil {
		c.emerge(src, dst, to, t, eff)
		return
	}
	train := path.labels.put(to, *t, eff)
	c.offer(path, 0, &train)
}

// emerge takes a train from the fabric to an engine or to ports.
func (c *Chassis) emerge(src, dst int, to target, t *sansio.Train, eff *sansio.Effects) {
	if to.engine != nil {
		c.serve(to.engine, dataplane.Fabric(src), t, eff)
		return
	}
	c.leave(dst, nil, to.ports, t, eff)
}

// leave takes a train to ports of a PFE, by way of the engines that want to see what
// leaves there. What such an engine sends itself does not come to it, and what a program does
// that frames pass on leaving comes to no other.
func (c *Chassis) leave(pfe int, sender *engine, to []sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	if out := c.pfes[pfe].outbound; len(out) > 0 && !(sender.isProgram() && sender.wants.Leaving) {
		to = c.intercept(out, sender, to, t, eff)
	}
	if len(to) > 0 {
		c.out(to, t, eff)
	}
}

// intercept gives a train, for each of its ports, to the first of some engines that claims it,
// but for its sender, and returns the ports for which none does.
func (c *Chassis) intercept(engines []*engine, sender *engine, to []sansio.Port, t *sansio.Train, eff *sansio.Effects) []sansio.Port {
	lo := len(c.lists)
	l, problem := t.Layout()
	for _, at := range to {
		f := dataplane.Frame{Port: at, Leaving: true, Header: t.Header, Layout: l, Problem: problem}
		if e := claimant(engines, sender, &f, t); e != nil {
			c.serve(e, dataplane.Outbound(at), t, eff)
		} else {
			c.lists = append(c.lists, at)
		}
	}
	return c.lists[lo:len(c.lists):len(c.lists)]
}

// claimant returns the first engine but the sender through which a frame has to pass; nil:
// there is none.
func claimant(engines []*engine, sender *engine, f *dataplane.Frame, t *sansio.Train) *engine {
	for _, e := range engines {
		if e != sender && e.sees(t) && e.Claims(*f) == dataplane.InTransit {
			return e
		}
	}
	return nil
}

// out hands a train to the links of its ports; where none of them has one, it
// goes to the wires in one send.
func (c *Chassis) out(to []sansio.Port, t *sansio.Train, eff *sansio.Effects) {
	bare := 0
	for _, at := range to {
		if c.ports[at].out == nil {
			c.ports[at].stat.Out.add(t)
			bare++
		}
	}
	if bare == len(to) {
		eff.Send(to, *t)
		return
	}
	for _, at := range to {
		if p := &c.ports[at]; p.out != nil {
			c.offer(p.out, at, t)
		} else {
			eff.Send(p.self, *t)
		}
	}
}
