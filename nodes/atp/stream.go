package atp

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// stream is what one thread sends to one server: packets counted from 0, with numbers, a window
// and a timer of their own.
//
//	   parameters here      in flight, some with parameters     not sent
//	.....................|expected, ......................... |next, ......
//	                      <-------- at most a span --------->
type stream struct {
	core    *Core
	server  *server
	numbers wire.Numbers
	indexes indexes
	sweeps  sweeps
	window  window
	parts   []part // that are to be sent, the first next

	expected uint64 // the first packet without parameters
	next     uint64 // the first that was not sent
	ahead    uint64 // behind the last with parameters
	inFlight int    // packets without parameters that are not taken for lost
	repairs  span   // in which are all that are taken for lost
	flight   []fragment
	disorder int // parameters of others since one packet is expected

	// Of a job that is set up anew. All before reached were cut, and sent in the earlier set-up; of
	// these, servers have answered all before from.
	setup         int
	reached, from uint64
	asks          bool   // from which number on to go
	skips         uint64 // packets before it were aggregated before this worker was there

	timeout units.Time // of the expected packet
	opens   units.Time // when the next packet may be sent, if it waits for nothing else
}

// fragment is a packet in flight.
type fragment struct {
	tensor   *tensor // nil: it is of a sweep
	block    int
	index    uint16 // that it was first sent with: sent again it frees what it reserved
	received bool   // its parameters are here
	floats   bool   // the server asked for float32
	resent   bool   // since parameters of later ones came
	lost     bool   // a timeout took it for lost, and it was not sent again
	since    uint64 // the first packet that was sent after it was sent again
}

// span is packets from one to before another.
type span struct{ from, to uint64 }

func (s *stream) at(packet uint64) *fragment { return &s.flight[packet%uint64(len(s.flight))] }

// pump sends what the window allows: what a timeout took for lost, then what was not sent yet.
func (s *stream) pump(now units.Time, eff *sansio.Effects) {
	s.repair(now, eff)
	s.opens = units.Never
	if !s.ready(now, eff) {
		return
	}
	for s.inFlight < s.window.size && s.next-s.expected < uint64(len(s.flight)) && len(s.parts) > 0 {
		if at, waits := s.sweeps.opens(s.next); waits && at > now {
			s.opens = at
			return
		}
		if s.sweeps.ends(s.next) && s.expected < s.next {
			return
		}
		s.first(now, eff)
	}
}

// first sends the next packet.
func (s *stream) first(now units.Time, eff *sansio.Effects) {
	c, packet := s.core, s.next
	f := s.at(packet)
	if index, ok := s.sweeps.index(packet); ok {
		*f = fragment{index: index}
		c.count.Add(CountSwept, 1)
	} else {
		*f = s.cut()
		f.index = s.indexes.of(packet)
		c.quantise(f.tensor, f.block)
	}
	if s.next == s.expected {
		s.timeout = now.Add(c.cfg.Timeout)
	}
	s.next++
	s.inFlight++
	s.event(now, trace.Sent, packet, "")
	s.send(packet, 0, eff)
}

// cut takes the next block of what is to be sent.
func (s *stream) cut() fragment {
	p := &s.parts[0]
	f := fragment{tensor: p.tensor, block: p.from}
	if p.from++; p.from == p.to {
		s.parts = s.parts[1:]
	}
	return f
}

// again sends a packet that was sent before; why is for its event.
func (s *stream) again(now units.Time, packet uint64, why string, eff *sansio.Effects) {
	c, f := s.core, s.at(packet)
	if f.tensor != nil {
		f.tensor.gen.retransmits++
	}
	if f.lost {
		s.inFlight++
	}
	f.lost, f.since = false, s.next
	c.count.Resent(1, units.Bytes(wire.DeepPayloadLen(int(c.cfg.levels()))))
	s.event(now, trace.Retransmit, packet, why)
	s.send(packet, wire.Resend, eff)
}

func (s *stream) send(packet uint64, flags wire.Flags, eff *sansio.Effects) {
	c, f := s.core, s.at(packet)
	size, unstored := 4*block, 0
	if !c.carries(f) {
		size, unstored = 0, size
	}
	h := s.server.header
	h.Sequence, h.Index, h.Flags = s.numbers.Of(packet), f.index, h.Flags|flags
	if f.floats {
		h.Flags |= wire.Overflow
	}
	payload := eff.Body(h.Len() + size)
	h.Put(payload)
	if unstored == 0 {
		c.put(payload[h.Len():], f)
	}
	eff.EmitUnstored(c.to, s.server.template, payload, unstored)
	c.count.Add(CountSent, 1)
}

// carries reports whether a packet carries values. Those of a sweep would carry zeros, so that
// they do not where any do not.
func (c *Core) carries(f *fragment) bool {
	if f.tensor == nil {
		return c.cfg.Sample.Every <= 1
	}
	return c.cfg.Sample.Carries(f.block)
}

// put writes the values of a packet, and zeros behind the last.
func (c *Core) put(dst []byte, f *fragment) {
	used := 0
	if f.tensor != nil {
		lo, hi := c.span(f.tensor, f.block)
		used = 4 * (hi - lo)
		if f.floats {
			putFloats(dst, f.tensor.gen.grad[lo:hi])
		} else {
			vec.PutBE(dst[:used], f.tensor.gen.q[lo:hi])
		}
	}
	clear(dst[used:])
}

// name returns a packet's names in events: how often the stream went through its numbers, and its
// number.
func (s *stream) name(packet uint64) (gen, number uint32) {
	return uint32(packet / uint64(s.numbers.Size)), s.numbers.Of(packet)
}

// event tells what happened to a packet; of a result also what the window was when it came.
func (s *stream) event(now units.Time, kind trace.Kind, packet uint64, note string) {
	c := s.core
	if c.cfg.Trace == nil {
		return
	}
	gen, number := s.name(packet)
	if kind == trace.ResultIn {
		note = fmt.Sprintf("window %d", s.window.size)
	}
	c.cfg.Trace.Event(&trace.Event{
		At: now, Kind: kind, Node: c.cfg.Node, Job: c.cfg.Job, Gen: gen, Block: number, Index: s.at(packet).index, Note: note,
	})
}
