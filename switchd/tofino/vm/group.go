package vm

import (
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Group is packets that take a pass through one half of a pipe together: first all are parsed, then
// all take the first step of the control, and so on. Those that part, in the parser or in the control,
// go on in runs of neighbours: one run to its end, then the next. So each register sees the packets
// in their order, as if each had taken its pass alone: a packet accesses a register once in a pass.
//
// In a run all headers stand at the same places. The embedded Pass knows where; the rest of it is of
// the packet that was selected last.
type Group struct {
	Pass
	lanes  []Lane
	side   fit.Side
	visits []visit
	saved  []head // where headers stood for packets that go on later
	mixed  bool   // the parser has looked at headers that were not there yet
}

// Lane is one packet of a group.
type Lane struct {
	Slots   []uint64 // values of its metadata
	Buf     []byte   // its memory
	scratch []byte   // its headers that are added
	packet  *Packet
	length  int // of the packet as it came
	random  *rng.Stream
}

// GroupEnd is told of packets that have done their pass.
type GroupEnd interface {
	// Passed says what has become of neighbours, up to before a last one, in their order. Their fields can be
	// read until it returns: [Group.Select] first.
	Passed(from, to int, reason Reason)
}

// GroupRunner is a [Runner] that takes packets through a control together.
type GroupRunner interface {
	Runner
	// RunGroup takes neighbours through the control of a side, and ends them in runs, in order, by [Group.End].
	RunGroup(g *Group, from, to int, end GroupEnd)
}

// NewGroup returns a work space for groups of up to n packets in pipes of a program.
func (c *Code) NewGroup(n int) *Group {
	g := &Group{Pass: *c.NewPass(), lanes: make([]Lane, 0, n)}
	for range n {
		l := Lane{Slots: make([]uint64, c.slots), scratch: make([]byte, c.bytes+slack)}
		g.lanes = append(g.lanes, l)
	}
	g.lanes = g.lanes[:0]
	return g
}

// Begin empties the group, for a pass through one half of a pipe.
func (g *Group) Begin(p *Pipe, side fit.Side) {
	g.pipe, g.side, g.lanes = p, side, g.lanes[:0]
}

// Side returns the half of the pipe.
func (g *Group) Side() fit.Side { return g.side }

// lane returns the place of one packet more.
func (g *Group) lane(k *Packet, random *rng.Stream) *Lane {
	n := len(g.lanes)
	g.lanes = g.lanes[:n+1]
	l := &g.lanes[n]
	l.packet, l.length, l.random = k, k.Len(), random
	k.Pull(g.code.sides[g.side].depth)
	l.Buf = k.buf
	clear(l.Slots)
	return l
}

// AddIngress adds a packet that is to pass the ingress; random is where it takes random numbers from, if the
// program takes any.
func (g *Group) AddIngress(k *Packet, in *In, random *rng.Stream) {
	l := g.lane(k, random)
	g.code.putIn(l.Slots, in, g.pipe.number, l.length)
}

// AddEgress adds a packet that is to pass the egress.
func (g *Group) AddEgress(k *Packet, out *Out, random *rng.Stream) {
	g.code.putOut(g.lane(k, random).Slots, out, k.bridged)
}

// Select makes a packet that of the embedded Pass.
func (g *Group) Select(i int) *Pass {
	return g.SelectLane(&g.lanes[i])
}

// SelectLane is Select of a packet from [Group.Lanes].
func (g *Group) SelectLane(l *Lane) *Pass {
	g.Slots, g.buf, g.scratch = l.Slots, l.Buf, l.scratch
	g.packet, g.length = l.packet, l.length
	if l.random != nil {
		g.pipe.random = l.random
	}
	return &g.Pass
}

// Lanes returns neighbours.
func (g *Group) Lanes(from, to int) []Lane { return g.lanes[from:to] }

// Run takes the packets through the half of the pipe.
func (g *Group) Run(end GroupEnd) {
	side := &g.code.sides[g.side]
	for from := 0; from < len(g.lanes); {
		reason := g.parseFirst(side.parser, from)
		to := from + 1
		if reason != OK {
			end.Passed(from, to, reason)
			from = to
			continue
		}
		for to < len(g.lanes) && !g.mixed && g.parsesAlike(from, to) {
			to++
		}
		if r, ok := g.pipe.runner.(GroupRunner); ok {
			r.RunGroup(g, from, to, end)
		} else {
			g.EachAlone(from, to, end, func(s *Pass) { s.RunFrom(g.side, 0) })
		}
		from = to
	}
}

// EachAlone takes neighbours through the rest of a control one by one.
func (g *Group) EachAlone(from, to int, end GroupEnd, rest func(s *Pass)) {
	saved := g.Save()
	for i := from; i < to; i++ {
		g.Restore(saved)
		g.facts, g.fixed = nil, nil
		rest(g.Select(i))
		g.End(i, i+1, end)
	}
	g.Drop(saved)
}

// ValidateAll makes a header of neighbours valid, all zero, unless it is valid.
func (g *Group) ValidateAll(h fit.HeaderID, from, to int) {
	if g.valid(int(h)) {
		return
	}
	at := g.code.scratch[h]
	for i := from; i < to; i++ {
		clear(g.lanes[i].scratch[at : at+g.code.lengths[h]])
	}
	g.heads[h] = head{^int32(at), g.pass}
}

// Verdict reads what the ingress tells of the packet that was selected, which has passed, and keeps with it what is bridged.
func (g *Group) Verdict(v *Verdict) {
	g.verdict(v)
	g.bridge(g.packet)
}

// Dropped reports whether the egress drops a packet that has passed.
func (g *Group) Dropped(i int) bool { return g.lanes[i].Slots[g.code.at.egressDrop]&1 != 0 }

// Saved is where headers stood, and what arguments there were, at a step of a control.
type Saved struct {
	heads int // of the first header in Group.saved
	args  []uint64
}

// Save notes where headers stand, for packets that go on from here later; [Group.Drop] ends that.
func (g *Group) Save() Saved {
	at := len(g.saved)
	g.saved = append(g.saved, g.heads...)
	return Saved{at, g.args}
}

// Restore puts headers where they stood.
func (g *Group) Restore(s Saved) {
	copy(g.heads, g.saved[s.heads:])
	g.args = s.args
	g.order = nil
}

// Drop forgets what was saved, and all that was saved later.
func (g *Group) Drop(s Saved) { g.saved = g.saved[:s.heads] }

// End ends the pass of neighbours whose control is over.
func (g *Group) End(from, to int, end GroupEnd) {
	side := &g.code.sides[g.side]
	if len(side.checksums) > 0 {
		for i := from; i < to; i++ {
			g.Select(i).fill(side.checksums)
		}
	}
	g.order = nil
	plan := g.plan(side.deparse, g.cursor)
	for i := from; i < to; i++ {
		g.Select(i).deparseBy(&plan)
		g.lanes[i].Buf, g.packet.facts = g.packet.buf, g.facts
	}
	for from < to { // where one was moved in its memory, its headers stand elsewhere
		next, off := from+1, g.lanes[from].packet.off
		for next < to && g.lanes[next].packet.off == off {
			next++
		}
		if g.order = nil; plan.how != planStay {
			g.order = plan.order
		}
		end.Passed(from, next, OK)
		from = next
	}
}

// bytesAt returns the bytes of a header that stands at some place, from an offset on.
func (l *Lane) bytesAt(at, off int) []byte {
	if at >= 0 {
		return l.Buf[at+off:]
	}
	return l.scratch[^at+off:]
}
