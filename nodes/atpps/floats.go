package atpps

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// ask gives up on the integers of a fragment, one of which was clipped, and asks all workers for their
// floats (§3.8).
func (s *Server) ask(e *entry, eff *sansio.Effects) {
	e.state, e.set = floating, trace.Mask{}
	clear(e.sums)
	s.count.Add(CountClipped, 1)
	s.request(e, eff)
}

// askAgain takes integers of a fragment that is asked for in floats. Those that a worker sends again show
// that it does not know.
func (s *Server) askAgain(e *entry, p *packet, eff *sansio.Effects) {
	if !p.Flags.Has(wire.Resend) {
		s.drop(p, DropClippedIn)
		return
	}
	s.request(e, eff)
}

// request sends a parameter packet without parameters: switches free nothing for it.
func (s *Server) request(e *entry, eff *sansio.Effects) {
	h := s.header(e, wire.Overflow)
	payload := eff.Body(s.payloadLen())
	clear(payload)
	h.Put(payload)
	eff.Emit(s.to, s.template, payload)
	s.count.Add(CountFloats, 1)
	s.event(trace.Answered, e, AskedForFloats)
}

// addFloats keeps the floats of a worker, and adds those of all in their order, so that the sum has the
// same bits whatever order they come in. Floats meet no aggregator, so each packet is of one.
func (s *Server) addFloats(e *entry, p *packet, eff *sansio.Effects) {
	reason := ""
	switch {
	case p.set.Len() != 1:
		reason = DropFloatSum
	case p.set.Without(e.set) == trace.Mask{}:
		reason = DropDuplicate
	}
	if reason != "" {
		s.drop(p, reason)
		return
	}
	if e.floats == nil {
		e.floats = make([]float32, s.cfg.Workers*wire.Values)
	}
	own := e.of(worker(p.set))
	for i := range own {
		own[i] = math.Float32frombits(binary.BigEndian.Uint32(p.values[4*i:]))
	}
	e.set = e.set.Or(p.set)
	s.added(e, p)
	if e.set == s.everybody {
		s.answerFloats(e, eff)
	}
}

// answerFloats answers a fragment with the sums of floats: from 0 on, worker by worker, each sum
// rounded to float32.
func (s *Server) answerFloats(e *entry, eff *sansio.Effects) {
	values := s.begin(e, wire.Overflow|wire.Resend)
	sums := make([]float32, wire.Values)
	for w := range s.cfg.Workers {
		vec.Axpy(sums, 1, e.of(w))
	}
	for i, v := range sums {
		binary.BigEndian.PutUint32(values[4*i:], math.Float32bits(v))
	}
	e.floats = nil
	s.finish(e, eff)
}

// of returns the floats of a worker.
func (e *entry) of(worker int) []float32 { return e.floats[worker*wire.Values:][:wire.Values] }

// worker returns the one of a set.
func worker(set trace.Mask) int {
	for i, word := range set {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return 0
}
