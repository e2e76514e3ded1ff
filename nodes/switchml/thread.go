package switchml

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
)

// thread is a part of the slots, and the blocks that they carry. Its blocks are
// a stream: position p goes by slot p mod M.
//
//	parts:     |<-- tensor 0 -->|<- 1 ->|<---- tensor 2 ---->| ...
//	position:  0                9       14                   26
type thread struct {
	core     *Core
	base     int // of its slots in packets
	template []byte
	slots    []slot
	timers   sansio.Timers
	looked   units.Time // when it last looked at the timers, if it does so once a timeout
	backoff  backoff
	newest   *part
	end      int // position behind the newest part
}

// part is the blocks of a tensor that a thread carries.
type part struct {
	*tensor
	from, to int // positions
	block    int // that from is
	next     *part
}

// blockAt returns the block at a position.
func (p *part) blockAt(pos int) int { return p.block + pos - p.from }

// find returns the part at a position, this or a later one; nil: there is none.
func (p *part) find(pos int) *part {
	for ; p != nil && pos >= p.from; p = p.next {
		if pos < p.to {
			return p
		}
	}
	return nil
}

type slot struct {
	set    uint8  // set of the packet in flight
	phase  uint32 // packets sent on this slot: the id of the one in flight
	busy   bool   // a packet is in flight
	lead   bool   // it carries the exponent of the block at pos only
	pos    int    // position of its block
	part   *part  // that pos is in; nil: the slot is idle
	e0, e1 int8   // exponents that it carries
}

// unknown is the second exponent of a worker that does not have the slot's next
// block yet. Its maximum tells all of them that they must still agree on a scale.
// The public client leaves that byte at zero, and so do workers that do not stream.
const unknown int8 = 1

// phaseBits is how much of the packet id tells phases of a slot apart, with the
// job byte above it, for a switch that looks for late packets. So the job byte
// counts on where the id does.
const phaseBits = 24

func newThread(c *Core, t int) thread {
	flow := c.cfg.Flow
	if !c.cfg.OnePort {
		flow.SrcPort += uint16(t)
	}
	m := c.cfg.Slots / c.cfg.threads()
	out := thread{core: c, base: 2 * m * t, template: inet.UDPHeader(flow), slots: make([]slot, m)}
	for i := range out.slots {
		out.slots[i].set = 1 // the first packet flips it to 0
	}
	return out
}

// begin takes the thread's share of a tensor, blocks from to to-1, behind what it
// has. Where tensors are no stream it has nothing in flight, and begins at its
// first slot.
func (t *thread) begin(now units.Time, x *tensor, from, to int, eff *sansio.Effects) {
	t.backoff.reset(&t.core.cfg)
	if from == to {
		return
	}
	if t.timers.Next(t.waits) == units.Never {
		t.looked = now
	}
	m := len(t.slots)
	if !t.core.cfg.Streaming {
		t.end = (t.end + m - 1) / m * m
	}
	p := &part{tensor: x, from: t.end, to: t.end + to - from, block: from}
	if t.newest != nil {
		t.newest.next = p
	}
	t.newest, t.end = p, p.to
	for pos := p.from; pos < min(p.to, p.from+m); pos++ {
		if s := &t.slots[pos%m]; !s.busy {
			s.part, s.pos, s.lead = p, pos, !t.core.cfg.Integers
			t.next(now, pos%m, eff)
		}
	}
}

// result is "upon receive" of Algorithm 4.
func (t *thread) result(now units.Time, h *wire.Header, i int, payload []byte, unstored int, eff *sansio.Effects) {
	c, s := t.core, &t.slots[i]
	if !s.busy || h.Set != s.set || h.PacketID != s.phase || t.carries(s) != (unstored == 0) {
		c.count.Add(DropStale, 1)
		return
	}
	s.busy = false
	c.count.Add(CountResults, 1)
	c.event(now, trace.ResultIn, int(h.Slot), s.phase)
	had := s.part
	if s.lead {
		s.lead = false
		t.agreed(now, i, h.E0, eff)
		return
	}
	if unstored == 0 {
		lo, hi := c.span(s.part.tensor, s.part.blockAt(s.pos))
		c.get(s.part.gen.sums[lo:hi], payload[wire.HeaderLen:])
	}
	s.pos += len(t.slots)
	s.part = s.part.find(s.pos)
	switch {
	case s.part == nil: // idle until there is more
	case c.cfg.Streaming && !c.cfg.Integers && h.E1 >= unknown:
		s.lead = true
		t.next(now, i, eff)
	default:
		t.agreed(now, i, h.E0, eff)
	}
	c.reduced(now, had.tensor, eff)
}

// agreed sends the block of slot i, whose exponent is agreed.
func (t *thread) agreed(now units.Time, i int, e int8, eff *sansio.Effects) {
	c, s := t.core, &t.slots[i]
	x, b := s.part.tensor, s.part.blockAt(s.pos)
	if !c.cfg.Integers && c.cfg.Sample.Carries(b) {
		lo, hi := c.span(x, b)
		f, saturated := c.quantise(x.gen.q[lo:hi], x.gen.grad[lo:hi], e)
		*c.factor(x, b) = f
		if saturated > 0 {
			x.gen.saturated += saturated
			c.count.Add(CountSaturated, uint64(saturated))
		}
	}
	t.next(now, i, eff)
}

// carries reports whether the packet of a slot carries values. Those with
// exponents only would carry zeros, so that they do not where any do not.
func (t *thread) carries(s *slot) bool {
	sample := t.core.cfg.Sample
	if s.lead || s.part == nil {
		return sample.Every <= 1
	}
	return sample.Carries(s.part.blockAt(s.pos))
}

// next sends the slot's next packet in the other set.
func (t *thread) next(now units.Time, i int, eff *sansio.Effects) {
	s := &t.slots[i]
	s.set ^= 1
	s.phase++
	s.busy = true
	s.e0, s.e1 = t.exponents(s)
	t.core.event(now, trace.Sent, t.base+i, s.phase)
	t.send(now, i, eff)
}

// exponents returns those of a packet: of the slot's next block.
func (t *thread) exponents(s *slot) (e0, e1 int8) {
	c := t.core
	if c.cfg.Integers {
		return gradient.ExponentNone, 0
	}
	pos := s.pos
	if !s.lead {
		pos += len(t.slots)
	}
	p := s.part.find(pos)
	switch {
	case p == nil && c.cfg.Streaming:
		return gradient.ExponentNone, unknown
	case p == nil || !c.cfg.Sample.Carries(p.blockAt(pos)):
		return gradient.ExponentNone, 0
	}
	lo, hi := c.span(p.tensor, p.blockAt(pos))
	return c.exponent(p.gen.grad[lo:hi]), 0
}

// send sends the packet in flight of slot i, for the first time or again.
func (t *thread) send(now units.Time, i int, eff *sansio.Effects) {
	c, s := t.core, &t.slots[i]
	size, unstored := 4*c.cfg.Elements, 0
	if !t.carries(s) {
		size, unstored = 0, size
	}
	payload := eff.Body(wire.HeaderLen + size)
	wire.Header{
		Type: wire.TypeConsume, Size: c.size, Job: c.cfg.Job + uint8(s.phase>>phaseBits), PacketID: s.phase, Set: s.set, Slot: uint16(t.base + i), E0: s.e0, E1: s.e1,
	}.Put(payload)
	switch values := payload[wire.HeaderLen:]; {
	case s.lead:
		clear(values)
	case unstored == 0:
		lo, hi := c.span(s.part.tensor, s.part.blockAt(s.pos))
		c.put(values, s.part.gen.q[lo:hi])
	}
	eff.EmitUnstored(c.to, t.template, payload, unstored)
	c.count.Add(CountSent, 1)
	if !c.cfg.NoRetransmit {
		t.timers.Arm(i, s.phase, now.Add(t.backoff.timeout))
	}
}

// expire is the timeout handler of Algorithm 4.
func (t *thread) expire(now units.Time, eff *sansio.Effects) {
	c := t.core
	if t.due() > now {
		return
	}
	t.looked = now
	for t.timers.Next(t.waits) <= now {
		i := t.timers.Pop()
		if t.backoff.expired() {
			c.count.Add(CountDoubled, 1)
		}
		t.slots[i].part.gen.retransmits++
		c.count.Add(CountRetransmits, 1)
		c.count.Resent(1, units.Bytes(wire.HeaderLen+4*c.cfg.Elements))
		c.event(now, trace.Retransmit, t.base+i, t.slots[i].phase)
		t.send(now, i, eff)
	}
}
