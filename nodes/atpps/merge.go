package atpps

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// whose returns whose values a packet says that it has, or why nobody's can be so in it.
func (s *Server) whose(h *wire.Header) (set trace.Mask, reason string) {
	if s.root == nil {
		return s.claimed(h)
	}
	return s.deep(h)
}

// claimed returns whose values a packet says that it has, or why nobody's can be so in it, of two levels. A switch
// adds at the second level what is whole: racks, and workers of the server's rack. So
// what came from there is everybody, or workers of that rack alone, where racks beyond it
// are not for it to add (§5.2.2, rack-scale service).
func (s *Server) claimed(h *wire.Header) (set trace.Mask, reason string) {
	second := h.Bitmaps[1]
	switch {
	case second&^s.second != 0:
		return set, DropRack
	case bits.OnesCount32(second) == 1:
		return s.claimedOf(s.racks[bits.TrailingZeros32(second)], h)
	case second == s.second:
		return s.others, ""
	}
	for b := second; b != 0; b &= b - 1 {
		r := s.racks[bits.TrailingZeros32(b)]
		if !r.Direct || h.Flags.Has(wire.Resend) {
			return trace.Mask{}, DropRacks
		}
		set.Set(r.Workers[0])
	}
	return set, ""
}

// claimedOf returns whose values a packet of one rack has. A switch passes on less than the
// whole rack only as resent, and a packet that no switch has taken is of one worker.
func (s *Server) claimedOf(r *Rack, h *wire.Header) (set trace.Mask, reason string) {
	first, all := h.Bitmaps[0], uint32(uint64(1)<<len(r.Workers)-1)
	switch {
	case first&^all != 0:
		return set, DropWorker
	case first != all && (h.Flags&(wire.EdgeSwitch|wire.Resend) == wire.EdgeSwitch),
		bits.OnesCount32(first) > 1 && !h.Flags.Has(wire.EdgeSwitch):
		return set, DropParts
	}
	for b := first; b != 0; b &= b - 1 {
		set.Set(r.Workers[bits.TrailingZeros32(b)])
	}
	return set, ""
}

// merge takes a packet of a fragment.
func (s *Server) merge(st *stream, e *entry, p *packet, eff *sansio.Effects) {
	switch {
	case e.state == answered:
		s.late(e, p, eff)
		return
	case p.Flags.Has(wire.Overflow) && e.state != floating:
		s.drop(p, DropUnasked)
		return
	case e.state == unused:
		e.open(wire.Sweeps{Aggregators: s.cfg.Aggregators, Used: s.cfg.Used}, p)
	case e.unstored != (p.values == nil):
		s.drop(p, DropMixed)
		return
	}
	s.note(e, p)
	s.add(e, p, eff)
	st.advance()
}

// open begins a fragment with its first packet.
func (e *entry) open(sweeps wire.Sweeps, p *packet) {
	e.state, e.index, e.unstored = summing, p.Index, p.values == nil
	_, e.sweep = sweeps.Index(e.numbers, e.packet)
}

// add adds a packet's values to those of a fragment, or does without them.
func (s *Server) add(e *entry, p *packet, eff *sansio.Effects) {
	switch {
	case p.Flags.Has(wire.Overflow):
		s.addFloats(e, p, eff)
	case e.state == floating:
		s.askAgain(e, p, eff)
	case !e.sweep && extreme(p.values):
		s.ask(e, eff)
	default:
		s.addIntegers(e, p, eff)
	}
}

// note keeps what a packet says besides its values: a mark (§3.7), and whose index collided (§3.6).
func (s *Server) note(e *entry, p *packet) {
	if p.Flags.Has(wire.ECN) {
		e.ecn = true
	}
	if e.sweep {
		return
	}
	s.indexes.see(p.Index)
	if p.Flags.Has(wire.Collision) && !e.collided {
		e.collided, e.index = true, p.Index
	}
}

// late takes a packet of a fragment that is answered. A resent one asks for the parameters. One
// of all others comes from a switch that holds an aggregator for it, which they free.
func (s *Server) late(e *entry, p *packet, eff *sansio.Effects) {
	if !p.Flags.Has(wire.Resend) && p.set != s.others {
		s.drop(p, DropAnswered)
		return
	}
	s.count.Add(CountAgain, 1)
	s.event(trace.Answered, e, AnsweredAgain)
	s.send(e, eff)
}

// addIntegers adds a packet whose workers are not in the sum yet (§3.5).
func (s *Server) addIntegers(e *entry, p *packet, eff *sansio.Effects) {
	switch {
	case p.set.Without(e.set) == trace.Mask{}:
		s.drop(p, DropDuplicate)
		return
	case p.set.Without(e.set) == p.set:
	case s.cfg.Superset && e.set.Without(p.set) == trace.Mask{}:
		s.count.Add(CountReplaced, 1)
		clear(e.sums)
	default:
		s.drop(p, DropOverlap)
		return
	}
	e.set = e.set.Or(p.set)
	s.added(e, p)
	if !e.sweep {
		e.sum(p.values)
	}
	switch {
	case e.set != s.everybody:
	case e.clipped():
		s.ask(e, eff)
	default:
		s.answerIntegers(e, eff)
	}
}

// added counts a packet that is added.
func (s *Server) added(e *entry, p *packet) {
	s.stored(e, p)
	n := p.set.Len()
	if p.set == s.local {
		s.count.Add(CountLocal, 1)
		return
	}
	if n == 1 {
		s.alone++
	} else {
		s.inSums += uint64(n)
	}
	switch {
	case n == 1:
		s.count.Add(CountSingle, 1)
	case p.set == s.others:
		s.count.Add(CountWhole, 1)
	default:
		s.count.Add(CountPartial, 1)
	}
	s.count.Add(CountInSwitch, uint64(n-1))
}

// sum adds values in the order of bytes of the network.
func (e *entry) sum(values []byte) {
	if len(values) > 0 && e.sums == nil {
		e.sums = make([]int64, wire.Values)
	}
	for i := 0; i+4 <= len(values); i += 4 {
		e.sums[i/4] += int64(int32(binary.BigEndian.Uint32(values[i:])))
	}
}

// extreme reports whether one of some values is the least or the largest, as switches leave it where
// a sum does not fit (§3.8).
func extreme(values []byte) bool {
	for ; len(values) >= 4; values = values[4:] {
		if v := int32(binary.BigEndian.Uint32(values)); v == math.MaxInt32 || v == math.MinInt32 {
			return true
		}
	}
	return false
}

// clipped reports whether a sum would be taken for one that does not fit, or does not.
func (e *entry) clipped() bool {
	for _, v := range e.sums {
		if v >= math.MaxInt32 || v <= math.MinInt32 {
			return true
		}
	}
	return false
}
