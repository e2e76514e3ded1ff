package atp

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// parameters is a parameter packet that came.
type parameters struct {
	*wire.Header
	payload  []byte
	unstored int
	marked   bool // a queue was long
}

// isFloat reports whether the sums are float32.
func (p *parameters) isFloat() bool { return p.Flags.Has(wire.Overflow | wire.Resend) }

// asks reports whether the packet has no sums, but asks for values as float32.
func (p *parameters) asks() bool { return p.Flags&(wire.Overflow|wire.Resend) == wire.Overflow }

// take is what a worker does with a parameter packet (§3.6).
func (s *stream) take(now units.Time, p *parameters, eff *sansio.Effects) {
	packet, drop := s.judge(p)
	switch {
	case drop != "":
		s.core.count.Add(drop, 1)
		return
	case p.asks():
		s.asked(now, packet, eff)
		return
	}
	s.deliver(now, packet, p)
	s.remap(packet, p)
	s.control(packet, p.marked)
	if packet == s.expected {
		s.advance(now, p.marked)
	} else {
		s.core.count.Add(CountOutOfOrder, 1)
		s.disorder++
	}
	s.detect(now, eff)
	s.pump(now, eff)
}

// judge returns the packet that parameters are of, or why they are dropped.
func (s *stream) judge(p *parameters) (packet uint64, drop string) {
	packet, ok := s.numbers.Packet(p.Sequence, s.expected)
	if !ok || packet >= s.next {
		return 0, DropStale
	}
	if packet < s.expected {
		return 0, DropDuplicate
	}
	f := s.at(packet)
	switch {
	case f.received:
		return 0, DropDuplicate
	case s.core.carries(f) != (p.unstored == 0), p.isFloat() && !f.floats:
		return 0, DropUnlike
	}
	return packet, ""
}

// deliver takes the sums.
func (s *stream) deliver(now units.Time, packet uint64, p *parameters) {
	c, f := s.core, s.at(packet)
	if f.received = true; !f.lost {
		s.inFlight--
	}
	s.ahead = max(s.ahead, packet+1)
	c.count.Add(CountParameters, 1)
	c.windows.note(s.window.size)
	s.event(now, trace.ResultIn, packet, "")
	if f.tensor == nil {
		return
	}
	if p.unstored == 0 {
		c.store(f, p.payload[p.Len():], p.isFloat())
	}
	f.tensor.gen.remaining--
}

// remap takes in the index to use in place of one where packets met those of others. A sweep goes
// to all indexes, whatever is there.
func (s *stream) remap(packet uint64, p *parameters) {
	if !p.Flags.Has(wire.Collision) || s.at(packet).tensor == nil {
		return
	}
	from := uint64(0)
	if s.core.cfg.Aligned {
		from = packet + uint64(len(s.flight))
	}
	news, ok := false, false
	if s.core.cfg.ByPlace {
		news, ok = s.indexes.placed(packet, p.Bitmaps[0])
	} else {
		news, ok = s.indexes.moved(p.Index, p.Bitmaps[0], from)
	}
	switch {
	case !ok:
		s.core.count.Add(DropIndex, 1)
	case news:
		s.core.count.Add(CountRemapped, 1)
	}
}

// control halves the window on a mark.
func (s *stream) control(packet uint64, marked bool) {
	if !marked {
		return
	}
	s.core.count.Add(CountMarks, 1)
	s.halve(packet)
}

func (s *stream) halve(packet uint64) {
	if s.window.halve(packet, s.next) {
		s.core.count.Add(CountHalved, 1)
	}
}

// advance makes the next packet without parameters the expected one. Parameters without a mark
// enlarge the window.
func (s *stream) advance(now units.Time, marked bool) {
	before := s.expected
	for s.expected < s.next && s.at(s.expected).received {
		s.expected++
	}
	s.sweeps.advanced(before, s.expected, now)
	s.disorder = 0
	s.timeout = units.Never
	if s.expected < s.next {
		s.timeout = now.Add(s.core.cfg.Timeout)
	}
	if !marked {
		s.window.grow(s.expected, s.next)
	}
}
