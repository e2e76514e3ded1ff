package tofino

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vtime"
)

// clock is the chip with time.
//
//	arrival: ingress -- Ingress --> manager, queue -- turn: egress -- Egress --> wire
//	             ^                                        |
//	             +----------------- Pass - Ingress -------+ (loopback, recirculation)
//
// A pass reads and writes the state of its pipe at one instant: when the packet enters
// the ingress, or leaves the queue. An event inside can be seen outside after
// Timing.Egress at the earliest. So a driver need not call for every event. It calls for
// those that can be seen, and the earlier ones are then done, each at its own time.
type clock struct {
	Timing
	events vtime.Queue // targets: packets by id, ports at ^number
	leaves vtime.Queue // targets: packets by id

	mirrors []*way // of mirrored copies to the traffic manager, by pipe
	cells   int    // of the buffer in use
	most    int
}

// proceed makes the next step of a packet an event.
func (k *clock) proceed(p *packet, now units.Time) {
	at := now.Add(k.Ingress)
	if p.step == stepInput {
		at = now.Add(k.Resubmit)
	}
	k.events.Push(at, p.id)
}

// deadline returns when something may next be seen from outside.
func (k *clock) deadline() units.Time {
	next := units.Never
	if e, ok := k.events.Peek(); ok {
		next = e.At.Add(k.Egress)
	}
	if e, ok := k.leaves.Peek(); ok {
		next = min(next, e.At)
	}
	return next
}

// advanceTo does what is due up to a time. At one instant packets leave first.
func (c *Chip) advanceTo(now units.Time) {
	k := c.clock
	for {
		inside, ok := k.events.Peek()
		if !ok || inside.At > now {
			inside.At = units.Never
		}
		out, ok := k.leaves.Peek()
		if ok && out.At <= now && out.At <= inside.At {
			c.now = k.leaves.Pop().At
			c.depart(c.packets[out.Target])
			continue
		}
		if inside.At == units.Never {
			break
		}
		c.now = k.events.Pop().At
		c.runEvent(inside.Target)
	}
	c.now = now
}

// Advance does what is due inside before the control plane changes something; what
// leaves waits for the next call of Expire or Handle. In instant mode nothing is due.
func (c *Chip) Advance(now units.Time) {
	if c.clock == nil {
		return
	}
	for e, ok := c.clock.events.Peek(); ok && e.At <= now; e, ok = c.clock.events.Peek() {
		c.now = c.clock.events.Pop().At
		c.runEvent(e.Target)
	}
}

// runEvent does an event.
func (c *Chip) runEvent(target int32) {
	if target < 0 {
		c.dequeue(c.ports[^target])
		return
	}
	switch k := c.packets[target]; k.step {
	case stepIngress:
		c.ingress(k)
	case stepInput:
		c.again(k)
	default:
		c.manage(k)
	}
}

// depart sends a packet by its front port.
func (c *Chip) depart(k *packet) {
	p := c.ports[k.out.Port]
	p.sent(k)
	c.emit(k, p)
}

// enqueue puts a packet into its queue, if there is room.
func (c *Chip) enqueue(k *packet, p *port) {
	t := c.clock
	for int(k.queue) >= len(p.queues) {
		p.queues = append(p.queues, queue{})
	}
	q := &p.queues[k.queue]
	k.cells = (k.Len() + CellBytes - 1) / CellBytes
	k.out.Depth = uint32(q.cells)
	switch {
	case q.cells+k.cells > t.Queue:
		p.stat.dropped++
		c.drop(k, DropQueue)
		return
	case t.cells+k.cells > t.Buffer:
		p.stat.dropped++
		c.drop(k, DropBuffer)
		return
	}
	if t.Mark > 0 && q.cells >= t.Mark {
		k.marked = true
	}
	q.cells += k.cells
	t.cells += k.cells
	q.most, t.most = max(q.most, q.cells), max(t.most, t.cells)
	q.push(k)
	p.waiting++
	c.schedule(p)
}

// schedule makes an event for the next packet of a port.
func (c *Chip) schedule(p *port) {
	if p.waiting > 0 && !p.due {
		p.due = true
		c.clock.events.Push(max(c.now, p.free), ^int32(p.dev))
	}
}

// dequeue takes the packet out of a port whose turn it is.
func (c *Chip) dequeue(p *port) {
	p.due = false
	k := p.take()
	c.clock.cells -= k.cells
	if c.egress(k, p) {
		c.transmit(k, p)
	}
	c.schedule(p)
}

// take returns the first packet of the queue whose turn it is; there is one.
func (p *port) take() *packet {
	for {
		q := &p.queues[p.turn%len(p.queues)]
		p.turn = (p.turn + 1) % len(p.queues)
		if k := q.pop(); k != nil {
			q.cells -= k.cells
			p.waiting--
			return k
		}
	}
}

// transmit occupies the port with a packet. By a front port it leaves as its first
// bit does, since the link outside takes the time of its bits.
func (c *Chip) transmit(k *packet, p *port) {
	d := p.line.Advance(bytesOf(k) + units.EthernetFraming)
	p.free = c.now.Add(d)
	p.busy += d
	if p.kind == frontPort {
		k.step = stepLeave
		c.clock.leaves.Push(c.now.Add(c.clock.Egress), k.id)
		return
	}
	p.sent(k)
	k.reenter(p)
	c.clock.events.Push(c.now.Add(c.clock.Pass-c.clock.Ingress), k.id)
}

func bytesOf(k *packet) units.Bytes { return units.Bytes(k.Len()) }
