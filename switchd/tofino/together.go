package tofino

import (
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// A chip without time may take frames of a train through each pass together (vm.Group), where the
// engine says that they do not meet (Config.Apart):
//
//	frame by frame   a: pass 1, pass 2, out;  b: pass 1, pass 2, out
//	together         a, b: pass 1;  a, b: pass 2;  a, b: out
//
// All that leaves is the same, in the same order by port, and so are registers, counters and random
// numbers. Passes are observed in the order in which they are done: Observation.Frame says whose they are.

// groupSize is how many frames are together at most: as many as a train has. With all that they carry they fit
// into a processor's second cache.
const groupSize = sansio.MaxTrainFrames

// together is what a chip has to take frames together.
type together struct {
	ingress, egress *vm.Group // egress nil: copies leave one by one
	batch           []*packet // of the group in the ingress
	copies          []*packet // of the group in the egress
	out             *port     // that those leave by
	passed          []*packet // of the batch, to the traffic manager
}

// newTogether returns it; nil where frames have to pass one by one.
func (c *Chip) newTogether() *together {
	p := c.cfg.Program
	if c.cfg.Apart == nil || c.clock != nil || c.cfg.OneByOne || c.cfg.Trailer != nil || c.code.Mirrors() || c.code.Resubmits() {
		return nil
	}
	if countOps(p, fit.Ingress, ir.Random) > 1 {
		return nil // a packet's numbers would not come one after another
	}
	g := &together{ingress: c.code.NewGroup(groupSize)}
	if countOps(p, fit.Egress, ir.Random) <= 1 && countOps(p, fit.Egress, ir.Execute) == 0 {
		g.egress = c.code.NewGroup(groupSize)
	}
	return g
}

// countOps returns how many operations of a kind a control has.
func countOps(p *fit.Program, side fit.Side, kind ir.OpKind) int {
	var count func(steps []fit.Step) int
	count = func(steps []fit.Step) (n int) {
		for i := range steps {
			if id := steps[i].Apply; id != fit.NoTable {
				n += tableOps(&p.Tables[id], kind)
			}
			n += count(steps[i].Then) + count(steps[i].Else)
		}
		return n
	}
	return count(p.Gress[side].Control)
}

// receiveTogether takes the frames of a train, those together that do not meet.
func (c *Chip) receiveTogether(p *port, t *sansio.Train, n int) {
	for f := 0; f < n; {
		m := c.apart(t, f, n)
		if m == 1 {
			c.receive(p, t, f)
			f++
			continue
		}
		c.gather(p, t, f, f+m)
		f += m
		c.passTogether()
	}
}

// gather takes frames of a train that may be together, up to before a last one.
func (c *Chip) gather(p *port, t *sansio.Train, from, to int) {
	alike := false
	for f := from; f < to; f++ {
		if t.FrameBytes(f) > MaxFrame {
			c.count.Add(DropTooLong, 1)
			continue
		}
		k := (*packet)(nil)
		if alike && len(t.Payload(f)) == t.Seg {
			k = c.arriveLike(t, f)
		} else {
			k = c.arrive(t, f)
			alike = c.alike(t)
		}
		k.port = p.dev
		c.todo.push(k)
	}
}

// apart returns how many frames from one on may be together.
func (c *Chip) apart(t *sansio.Train, first, n int) int {
	var keys [groupSize]uint64
	var seen uint64 // one bit for some keys each
	for m := 0; m < groupSize && first+m < n; m++ {
		key, ok := c.cfg.Apart(t, first+m)
		bit := uint64(1) << (key & 63)
		if !ok || seen&bit != 0 && contains(keys[:m], key) {
			return max(1, m)
		}
		seen |= bit
		keys[m] = key
	}
	return min(groupSize, n-first)
}

func contains(keys []uint64, key uint64) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}

// passTogether takes all packets that wait for an ingress through it, neighbours of one pipe together,
// until none waits.
func (c *Chip) passTogether() {
	for k := c.todo.pop(); k != nil; k = c.todo.pop() {
		g := c.together
		g.batch = append(g.batch[:0], k)
		for pipe := k.port.Pipe(); len(g.batch) < groupSize; {
			if k = c.todo.first; k == nil || k.port.Pipe() != pipe {
				break
			}
			g.batch = append(g.batch, c.todo.pop())
		}
		if len(g.batch) == 1 {
			c.ingress(g.batch[0])
		} else {
			c.ingressTogether()
		}
	}
}

// ingressTogether takes the batch through the ingress of its pipe, and on.
func (c *Chip) ingressTogether() {
	g, left := c.together, c.together.batch[:0]
	g.ingress.Begin(c.pipes[g.batch[0].port.Pipe()], fit.Ingress)
	for _, k := range g.batch {
		if k.passes >= c.cfg.Passes {
			c.drop(k, DropPasses)
			continue
		}
		k.passes++
		c.stats.ingress++
		c.in = vm.In{Port: uint16(k.port), Time: c.now}
		g.ingress.AddIngress(&k.Packet, &c.in, c.drawn(k.port, fit.Ingress))
		left = append(left, k)
	}
	g.batch = left
	g.ingress.Run((*ingressEnd)(c))
}

// drawn returns where passes take the random numbers of a port from; nil where they take none.
func (c *Chip) drawn(dev DevPort, side fit.Side) *rng.Stream {
	if !c.random {
		return nil
	}
	return c.ports[dev].random[side]
}

// ingressEnd is a chip that is told of passes through an ingress.
type ingressEnd Chip

// Passed takes packets of the batch from their ingress to the traffic manager.
func (e *ingressEnd) Passed(from, to int, reason vm.Reason) {
	c := (*Chip)(e)
	g := c.together
	g.passed = g.passed[:0]
	for i := from; i < to; i++ {
		k, s := g.batch[i], g.ingress.Select(i)
		if reason == vm.OK {
			g.ingress.Verdict(&k.verdict)
		}
		c.observe(s, k, k.port.Pipe(), fit.Ingress, reason)
		switch {
		case reason != vm.OK:
			c.drop(k, string(reason))
		case k.verdict.Drop&dropBit != 0:
			c.drop(k, c.dropName(s, DropProgram))
		default:
			g.passed = append(g.passed, k)
		}
	}
	c.manageTogether(g.passed)
}

// manageTogether sends packets where their ingress wants them; neighbours of one multicast group together.
func (c *Chip) manageTogether(ks []*packet) {
	for len(ks) > 0 {
		v, n := &ks[0].verdict, 1
		if !v.Multicast || v.Unicast || v.Bypass || c.together.egress == nil {
			if !c.turn(ks[0]) {
				c.manage(ks[0])
			}
			ks = ks[1:]
			continue
		}
		for n < len(ks) && ks[n].verdict == *v {
			n++
		}
		if nodes, ok := c.manager.groups[v.Group]; ok {
			c.multicastTogether(ks[:n], nodes)
		} else {
			for _, k := range ks[:n] {
				c.manage(k)
			}
		}
		ks = ks[n:]
	}
}

// turn sends a packet by a port that leads back, past the egress, as manage does; false: that is not what its ingress wants,
// or it would be dropped.
func (c *Chip) turn(k *packet) bool {
	v := &k.verdict
	if !v.Unicast || v.Multicast || !v.Bypass || v.Port >= MaxDevPorts {
		return false
	}
	p := c.ports[v.Port]
	if p == nil || p.kind == frontPort || k.Len() > MaxFrame || c.inside > MaxInside {
		return false
	}
	p.sent(k)
	k.queue = v.Queue
	k.reenter(p)
	c.todo.push(k)
	return true
}

// multicastTogether makes the copies of packets with one verdict, port by port.
func (c *Chip) multicastTogether(ks []*packet, nodes []Node) {
	v := ks[0].verdict
	for i := range nodes {
		n := &nodes[i]
		if v.RID != 0 && n.RID == v.RID {
			continue
		}
		for _, p := range n.Ports {
			if c.excludes(v.XID, p) {
				continue
			}
			if at := c.ports[p]; at.kind == frontPort {
				c.copyTogether(ks, n.RID, at)
				continue
			}
			for _, k := range ks {
				c.send(k, n.RID, p)
			}
		}
	}
	c.stats.replaced += uint64(len(ks))
	for _, k := range ks {
		c.end(k)
	}
}

// copyTogether makes the copies of packets that leave by one front port.
func (c *Chip) copyTogether(ks []*packet, rid uint16, p *port) {
	g := c.together
	g.copies, g.out = g.copies[:0], p
	g.egress.Begin(c.pipes[p.dev.Pipe()], fit.Egress)
	for _, k := range ks {
		n := c.copyOf(k, c.front)
		n.verdict, n.queue = k.verdict, k.verdict.Queue
		n.out = vm.Out{RID: rid, Copy: true, Port: uint16(p.dev)}
		c.stats.copies++
		c.stats.egress++
		g.egress.AddEgress(&n.Packet, &n.out, c.drawn(p.dev, fit.Egress))
		g.copies = append(g.copies, n)
	}
	g.egress.Run((*egressEnd)(c))
}

// egressEnd is a chip that is told of passes through an egress.
type egressEnd Chip

// Passed sends copies by the port that they leave by.
func (e *egressEnd) Passed(from, to int, reason vm.Reason) {
	c := (*Chip)(e)
	g := c.together
	for i := from; i < to; i++ {
		k := g.copies[i]
		s := g.egress.Select(i)
		c.observe(s, k, g.out.dev.Pipe(), fit.Egress, reason)
		switch {
		case reason != vm.OK:
			c.drop(k, string(reason))
		case g.egress.Dropped(i):
			c.drop(k, c.dropName(s, DropEgress))
		case k.Len() > MaxFrame:
			c.drop(k, DropTooLong)
		default:
			g.out.sent(k)
			c.emit(k, g.out)
		}
	}
}
