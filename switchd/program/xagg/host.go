package xagg

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Host is a host with an aggregator in front of its stack, as XDP is (§II-C): frames that are XAgg's
// end there or leave by the port that they came by, all others go to the stack.
//
//	port --> Aggregator --Pass--> Stack
//	port <---- Send         Drop: it ends
type Host struct {
	*Aggregator
	stack   sansio.Machine
	passed  []sansio.Arrival
	scratch []byte
	ports   [][]sansio.Port // ports[p] is p alone
}

var _ sansio.Machine = (*Host)(nil)

// NewHost returns a host.
func NewHost(a *Aggregator, stack sansio.Machine) *Host { return &Host{Aggregator: a, stack: stack} }

// Handle gives each train to the aggregator or to the stack.
func (h *Host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	h.passed = h.passed[:0]
	for i := range in {
		switch h.receive(&in[i].Train) {
		case Pass:
			h.passed = append(h.passed, in[i])
		case Send:
			eff.Send(h.only(in[i].Port), eff.Frame(h.scratch, nil, sansio.ChecksumAsIs))
		case Drop:
		}
	}
	if len(h.passed) > 0 {
		h.stack.Handle(now, h.passed, eff)
	}
}

// receive gives the aggregator a frame of its own, which it leaves in scratch. Trains of several
// frames are UDP or TCP.
func (h *Host) receive(t *sansio.Train) Verdict {
	if !t.Single() {
		h.tally[Passed] += uint64(t.Frames())
		return Pass
	}
	h.scratch = append(append(h.scratch[:0], t.Header...), t.Body...)
	stored := len(h.scratch)
	h.scratch = slices.Grow(h.scratch, t.Unstored)[:stored+t.Unstored]
	clear(h.scratch[stored:])
	return h.Receive(h.scratch)
}

// only returns a list of one port that stays.
func (h *Host) only(p sansio.Port) []sansio.Port {
	for len(h.ports) <= int(p) {
		h.ports = append(h.ports, []sansio.Port{sansio.Port(len(h.ports))})
	}
	return h.ports[p]
}

// Expire is the stack's; the aggregator has no timers.
func (h *Host) Expire(now units.Time, eff *sansio.Effects) { h.stack.Expire(now, eff) }

// NextDeadline is the stack's.
func (h *Host) NextDeadline() units.Time { return h.stack.NextDeadline() }
