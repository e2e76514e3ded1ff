package chassis

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Reasons for which the chassis itself drops what an engine sends.
const (
	dropNoEngine = "no-engine-at-pfe" // across the fabric to a PFE that has none
	dropNoPort   = "no-such-port"     // by a port that is not there or has no link
)

// passOn takes what a part just sent to where it goes next.
func (c *Chassis) passOn(p *part, eff *sansio.Effects) {
	for i := range c.list {
		s := &c.list[i]
		switch p.stage {
		case ingress:
			c.receive(p.port, &s.Train, eff)
		case leafServer, topServer:
			c.offer(c.engines[p.pfe].part, dataplane.Served, &s.Train)
		case leafEngine, topEngine:
			s.To = c.existing(s)
			c.made += uint64(s.Train.Frames() * len(s.To))
			c.send(p.pfe, s, eff)
		case leafFabric, topFabric:
			train, l := p.labels.strip(s.Train, eff)
			c.emerge(p.src, p.pfe, l.target, &train, eff)
		}
	}
	if p.link != nil && p.link.InFlight() == 0 && len(c.held) == 0 {
		p.labels.clear()
	}
}

// existing returns the ports of a send that are there: a program may name any.
func (c *Chassis) existing(s *sansio.Send) []sansio.Port {
	lo := len(c.lists)
	for _, p := range s.To {
		if c.exists(p) {
			c.lists = append(c.lists, p)
		} else {
			c.count.Add(dropNoPort, uint64(s.Train.Frames()))
		}
	}
	if len(c.lists)-lo == len(s.To) {
		c.lists = c.lists[:lo]
		return s.To
	}
	return c.lists[lo:len(c.lists):len(c.lists)]
}

func (c *Chassis) exists(p sansio.Port) bool {
	if _, fabric := dataplane.IsFabric(p); fabric {
		return len(c.engines) > 1
	}
	return p >= 0 && int(p) < len(c.ports) && c.ports[p].wired
}

// send takes a train from a PFE to its ports: at once to those of the same PFE,
// across the fabric, once for each, to other PFEs.
func (c *Chassis) send(src int, s *sansio.Send, eff *sansio.Effects) {
	if len(c.engines) == 1 {
		c.leave(s.To, &s.Train, eff)
		return
	}
	for _, to := range s.To {
		if dst, ok := dataplane.IsFabric(to); ok {
			c.cross(src, dst, target{engine: true}, &s.Train, eff)
		}
	}
	for dst := range c.engines {
		ports := c.portsOf(dst, s.To)
		switch {
		case len(ports) == 0:
		case dst == src:
			c.leave(ports, &s.Train, eff)
		default:
			c.cross(src, dst, target{ports: ports}, &s.Train, eff)
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
	var path *part
	if src != dst && dst < len(c.engines) {
		path = c.fabric[src*len(c.engines)+dst]
	}
	if path == nil {
		c.emerge(src, dst, to, t, eff)
		return
	}
	train := path.labels.put(to, *t, eff)
	c.offer(path, 0, &train)
}

// emerge takes a train from the fabric to an engine or to ports.
func (c *Chassis) emerge(src, dst int, to target, t *sansio.Train, eff *sansio.Effects) {
	switch {
	case !to.engine:
		c.leave(to.ports, t, eff)
	case dst >= len(c.engines) || c.engines[dst].part == nil:
		c.count.Add(dropNoEngine, uint64(t.Frames()))
	default:
		c.serve(&c.engines[dst], dataplane.Fabric(src), t)
	}
}

// leave hands a train to the links of its ports; where none of them has one, it
// goes to the wires in one send.
func (c *Chassis) leave(to []sansio.Port, t *sansio.Train, eff *sansio.Effects) {
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
