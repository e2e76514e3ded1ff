package xaggd

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
)

// sending is the send agents of a worker: each has a part of the gradient, of whole groups, and they
// send in turn (XAgg §IV-A).
type sending struct {
	parts []*groups.Sender
	first []uint32 // packets that each has sent, those sent again left out
	size  uint32   // packets of a part; the last may have fewer
	turn  int
	count sansio.Tally // of parts that are over
}

// start divides a gradient among at most so many agents.
func (s *sending) start(c groups.Config, agents int) {
	s.count.Merge(s.now())
	all := (c.Packets + wire.Group - 1) / wire.Group
	each := (all + uint32(agents) - 1) / uint32(agents)
	s.parts, s.first, s.size, s.turn = nil, nil, each*wire.Group, 0
	for from := uint32(0); from < c.Packets; from += s.size {
		part := c
		part.Packets = min(s.size, c.Packets-from)
		p, _ := groups.NewSender(part) // a part of what was good is good
		s.parts, s.first = append(s.parts, p), append(s.first, 0)
	}
}

// next returns the packet that an agent sends now; agents take turns.
func (s *sending) next(now units.Time) (p groups.Packet, ok bool) {
	for range s.parts {
		k := s.turn
		s.turn = (s.turn + 1) % len(s.parts)
		if p, ok = s.parts[k].Next(now); ok {
			if !p.Again {
				s.first[k]++
			}
			p.Index += uint32(k) * s.size
			return p, true
		}
	}
	return p, false
}

// sent reports whether a packet was sent.
func (s *sending) sent(index uint32) bool {
	return (index-1)%s.size < s.first[(index-1)/s.size]
}

// pending reports whether anything is left to be sent.
func (s *sending) pending() bool {
	for _, p := range s.parts {
		if !p.Finished() && p.NextDeadline() == units.Never {
			return true
		}
	}
	return false
}

// ended returns when to say that everything is sent; Never while something is not.
func (s *sending) ended() units.Time {
	at := units.Time(0)
	for _, p := range s.parts {
		at = max(at, p.NextDeadline())
	}
	if len(s.parts) == 0 {
		return units.Never
	}
	return at
}

// say reports whether to say now that everything is sent.
func (s *sending) say(now units.Time) bool {
	if s.ended() > now {
		return false
	}
	for _, p := range s.parts {
		p.Expire(now)
	}
	return true
}

// report hands each agent what of its part was lost; it returns how many indexes are beyond the gradient.
func (s *sending) report(number uint32, lost []uint32) (beyond uint64) {
	mine := make([][]uint32, len(s.parts))
	for _, i := range lost {
		if k := int((i - 1) / s.size); k < len(mine) {
			mine[k] = append(mine[k], i-uint32(k)*s.size)
		} else {
			beyond++
		}
	}
	for k, list := range mine {
		if len(list) > 0 {
			s.parts[k].Report(number, list)
		}
	}
	return beyond
}

// stop takes the parent's word that everything is there.
func (s *sending) stop() {
	for _, p := range s.parts {
		p.Complete()
	}
}

// now returns the counters of the parts at hand.
func (s *sending) now() []sansio.Count {
	var out sansio.Tally
	for _, p := range s.parts {
		if d := p.Drops(); d.BadIndex > 0 || d.Repeated > 0 {
			out.Add(DropIndex, d.BadIndex)
			out.Add(DropRepeated, d.Repeated)
		}
	}
	return out.List()
}

// drops returns the counters of all parts.
func (s *sending) drops() []sansio.Count {
	var out sansio.Tally
	out.Merge(s.count.List())
	out.Merge(s.now())
	return out.List()
}

// restart begins the gradient at index 1.
func (w *Worker) restart(now units.Time) {
	w.sending.start(w.cfg.Gradients, w.cfg.Agents)
	w.pace.next = max(w.pace.next, now)
}

// progress sends what the rate lets out, and what follows from what came.
func (w *Worker) progress(now units.Time, eff *sansio.Effects) {
	if w.begun && !w.complete {
		w.pace.run(now, w.node.Rate(), func() bool { return w.packet(now, eff) })
		if w.sending.say(now) {
			w.send(&w.parent, &xaggctl.Message{Kind: xaggctl.Done, Iteration: w.iteration, Tree: w.since}, eff)
		}
	}
	w.negotiate(now, w.neighbour, eff)
}

// packet sends the next packet.
func (w *Worker) packet(now units.Time, eff *sansio.Effects) bool {
	p, ok := w.sending.next(now)
	if !ok {
		return false
	}
	h := wire.Header{Gradient: p.Index}
	if p.Ends {
		h.Flags |= wire.EndOfGroup
	}
	if p.Again {
		h.Flags |= wire.Retransmit
		w.retransmits++
		w.count.Add(CountAgain, 1)
		w.count.Resent(1, units.Bytes(wire.PayloadLen(w.cfg.Values)))
		w.event(now, trace.Retransmit, p.Index, "")
	} else {
		w.count.Add(CountSent, 1)
		w.event(now, trace.Sent, p.Index, "")
	}
	w.frame(&w.parent, h, w.values(p.Index), eff)
	return true
}

// values returns those of a packet; nil where it carries unstored ones.
func (w *Worker) values(index uint32) []int32 {
	b := int(index - 1)
	if !w.cfg.Sample.Carries(b) {
		return nil
	}
	lo, hi := w.cfg.Sample.Span(b, w.cfg.Tensor, w.cfg.Values)
	return w.borrowed[lo:hi]
}
