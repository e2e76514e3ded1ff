package atpps

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// direct puts what the set-up at hand says in place: who has which bits, and where answers go.
func (s *Server) direct() {
	s.template, s.indexes = inet.UDPHeader(s.cfg.Flow), newIndexes(&s.cfg)
	inet.IPv4(s.template[inet.EtherLen:]).SetECN(inet.ECT0)
	s.racks, s.second, s.root, s.everybody, s.local = [wire.MaxFanIn]*Rack{}, 0, nil, trace.Mask{}, trace.Mask{}
	if s.cfg.Levels > 0 {
		s.plant()
	}
	for i := range s.cfg.Racks {
		r := &s.cfg.Racks[i]
		for _, w := range r.Workers {
			s.everybody.Set(w)
		}
		if r.Local {
			s.local.Set(r.Workers[0])
			continue
		}
		s.racks[r.Bit] = r
		s.second |= 1 << r.Bit
	}
	s.others = s.everybody.Without(s.local)
}

// setsUp takes what a packet says of set-ups, and reports whether that is all there is to take. The
// first packet of a later set-up begins it. One of an earlier set-up is never added: it may be of a
// worker that contributes again. If it was sent again, its worker was not told.
func (s *Server) setsUp(p *packet, eff *sansio.Effects) (all bool) {
	k := s.setupOf(p.Job)
	if k < 0 || p.Flags.Has(wire.IsAck) || int(p.Upper.Levels) != s.cfg.Levels {
		return false
	}
	st, joins := s.streamWith(p.Sequence), p.Flags.Joins()
	if k > s.setup {
		s.setUp(k, eff)
		return joins
	}
	switch {
	case st == nil || k == s.setup && !joins:
		return false
	case k < s.setup:
		s.drop(p, DropEarlier)
	}
	if joins || p.Flags.Has(wire.Resend) {
		s.goOn(st, eff)
	}
	return true
}

// setupOf returns which set-up has an id; negative: none.
func (s *Server) setupOf(id uint8) int {
	if id == s.cfg.Job {
		return s.setup
	}
	for i := range s.cfg.Setups {
		if s.cfg.Setups[i].Job == id {
			return i + 1
		}
	}
	if id == s.first {
		return 0
	}
	return -1
}

// streamWith returns the stream of a number, or nil.
func (s *Server) streamWith(number uint32) *stream {
	for i := range s.streams {
		if s.streams[i].numbers.Has(number) {
			return &s.streams[i]
		}
	}
	return nil
}

// setUp begins another set-up. What is not complete is forgotten: who is in a sum of the earlier one
// may send again, and switches may have partial sums of it that name other bits (A.3).
func (s *Server) setUp(k int, eff *sansio.Effects) {
	next := &s.cfg.Setups[k-1]
	s.setup = k
	s.cfg.Job, s.cfg.Racks, s.cfg.Paths = next.Job, next.Racks, next.Paths
	s.cfg.Flow.Dst, s.cfg.Flow.DstMAC = next.Group, inet.MulticastMAC(next.Group)
	s.direct()
	s.count.Add(CountSetups, 1)
	for i := range s.streams {
		st := &s.streams[i]
		for e := range st.ring {
			s.keep(&st.ring[e])
		}
		s.goOn(st, eff)
	}
}

// keep has a fragment that is answered be so under the job's new id, where its index is of nobody
// yet; any other is as if nothing of it had come.
func (s *Server) keep(e *entry) {
	switch e.state {
	case answered:
		var h wire.Header
		s.read(&h, e.answer, s.payloadLen()-len(e.answer))
		h.Job, h.Bitmaps, h.Flags = s.cfg.Job, [2]uint32{}, h.Flags&^wire.Collision
		h.Put(e.answer)
	case summing, floating:
		s.count.Add(CountDropped, 1)
		e.begin(e.numbers, e.packet)
	}
}

// goOn tells workers from which number on a stream goes, under the id of the set-up at hand.
func (s *Server) goOn(st *stream, eff *sansio.Effects) {
	h := s.parameters(st.numbers.Of(st.open), wire.GoOn)
	payload := eff.Body(s.payloadLen())
	clear(payload)
	h.Put(payload)
	eff.Emit(s.to, s.template, payload)
	s.count.Add(CountGoOn, 1)
	if s.cfg.Trace != nil {
		s.cfg.Trace.Event(&trace.Event{At: s.now, Kind: trace.Answered, Node: s.cfg.Node, Job: s.cfg.Job, Block: h.Sequence, Note: GoesOn})
	}
}
