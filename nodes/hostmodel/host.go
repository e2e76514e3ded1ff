package hostmodel

import (
	"fmt"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Host is a machine with one network interface, port 0, behind the cost of its
// host. It is itself that machine with that interface.
type Host struct {
	inner  sansio.Machine
	rx, tx *impair.Link
	in     []sansio.Arrival // scratch
}

// New puts a machine behind the cost of a host: into a [Host], or a [MultiQueue]
// where the model has queues.
func New(m Model, node string, inner sansio.Machine) (sansio.Machine, error) {
	if m.Queues != 0 {
		return newMultiQueue(m, node, inner)
	}
	h := &Host{inner: inner}
	var err error
	if h.rx, err = impair.New(impair.Config{Name: node + "/rx", Params: m.params(), MaxInFlight: inFlight}); err != nil {
		return nil, fmt.Errorf("modelling a %s host: %w", m.Kind, err)
	}
	if h.tx, err = impair.New(impair.Config{Name: node + "/tx", Params: m.params(), MaxInFlight: inFlight, With: h.rx}); err != nil {
		return nil, fmt.Errorf("modelling a %s host: %w", m.Kind, err)
	}
	return h, nil
}

// inFlight bounds the frames inside a host (assumed: far above any window here).
const inFlight = 1 << 20

// Handle takes frames from the wire.
func (h *Host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.rx.Handle(now, in, eff)
	h.receive(now, lo, eff)
	h.leave(now, lo, eff)
}

// Expire does what is due on the way in, in the machine, and on the way out.
func (h *Host) Expire(now units.Time, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.rx.Expire(now, eff)
	h.receive(now, lo, eff)
	if h.inner.NextDeadline() <= now {
		h.inner.Expire(now, eff)
	}
	h.leave(now, lo, eff)
}

// receive hands what came through the way in to the machine.
func (h *Host) receive(now units.Time, lo int, eff *sansio.Effects) {
	if in := h.take(lo, eff); len(in) > 0 {
		h.inner.Handle(now, in, eff)
	}
}

// leave takes what the machine sent, from lo on, to the way out.
func (h *Host) leave(now units.Time, lo int, eff *sansio.Effects) {
	if out := h.take(lo, eff); len(out) > 0 {
		h.tx.Handle(now, out, eff)
		return
	}
	h.tx.Expire(now, eff)
}

// take moves sends out of the batch; what they refer to stays there.
func (h *Host) take(lo int, eff *sansio.Effects) []sansio.Arrival {
	h.in = h.in[:0]
	for i := lo; i < len(eff.Sends); i++ {
		h.in = append(h.in, sansio.Arrival{Train: eff.Sends[i].Train})
	}
	eff.Sends = eff.Sends[:lo]
	return h.in
}

// NextDeadline returns when a frame is through, or the machine's own.
func (h *Host) NextDeadline() units.Time {
	return min(h.rx.NextDeadline(), h.tx.NextDeadline(), h.inner.NextDeadline())
}
