package atpps

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// valueBytes are those of a packet behind its header.
const valueBytes = 4 * wire.Values

// answerIntegers answers a fragment with its sums.
func (s *Server) answerIntegers(e *entry, eff *sansio.Effects) {
	values := s.begin(e, 0)
	for i := range len(values) / 4 {
		v := int64(0)
		if e.sums != nil {
			v = e.sums[i]
		}
		binary.BigEndian.PutUint32(values[4*i:], uint32(int32(v)))
	}
	s.finish(e, eff)
}

// begin builds the parameter packet of a fragment up to its values, of which it returns the room;
// none where they are unstored. It has the index that the fragment's packets had, to free what they
// reserved, and where one of them collided that which they are to have from now on (§3.6).
func (s *Server) begin(e *entry, flags wire.Flags) (values []byte) {
	h := s.header(e, flags)
	if e.collided {
		if to, ok := s.indexes.move(e.index); ok {
			h.Flags |= wire.Collision
			h.Bitmaps[0] = uint32(to)
			s.count.Add(CountRehashed, 1)
		}
	}
	size := s.payloadLen()
	if e.unstored {
		size = h.Len()
	}
	if cap(e.answer) < size {
		e.answer = make([]byte, size)
	}
	e.answer = e.answer[:size]
	h.Put(e.answer)
	return e.answer[h.Len():]
}

// finish sends the parameter packet that was built.
func (s *Server) finish(e *entry, eff *sansio.Effects) {
	e.state = answered
	s.count.Add(CountAnswered, 1)
	s.event(trace.Answered, e, s.moved(e))
	s.send(e, eff)
}

// send sends a fragment's parameter packet to all workers, as it was first sent.
func (s *Server) send(e *entry, eff *sansio.Effects) {
	payload := eff.Body(len(e.answer))
	copy(payload, e.answer)
	eff.EmitUnstored(s.to, s.template, payload, s.payloadLen()-len(e.answer))
}

// header returns that of a parameter packet of a fragment.
func (s *Server) header(e *entry, flags wire.Flags) wire.Header {
	if e.ecn {
		flags |= wire.ECN
	}
	h := s.parameters(e.numbers.Of(e.packet), wire.IsAck|flags)
	h.Index = e.index
	return h
}

// parameters returns the header of a packet to workers, of the set-up at hand. Bitmaps and fan-ins say nothing there.
func (s *Server) parameters(number uint32, flags wire.Flags) wire.Header {
	h := wire.Header{Job: s.cfg.Job, Sequence: number, Flags: flags}
	h.Upper.Levels = uint8(s.cfg.Levels)
	for level := range h.Levels() {
		h.SetFanIn(level, 1)
	}
	return h
}

// payloadLen returns the bytes of a packet.
func (s *Server) payloadLen() int { return wire.DeepPayloadLen(s.cfg.Levels) }
