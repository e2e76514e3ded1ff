package xaggd

import (
	"math/bits"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/switchd/program/xagg"
)

const resultFlag = wire.Result

// hostBit returns the number of a host id's bit.
func hostBit(id uint32) groups.Host { return groups.Host(bits.TrailingZeros32(id)) }

// take takes a message of the parent, or of the root about results.
func (w *Worker) take(now units.Time, src netip.Addr, m *xaggctl.Message, eff *sansio.Effects) {
	switch m.Kind {
	case xaggctl.Notice, xaggctl.Lost, xaggctl.Complete:
		if m.Host != w.parent.ID {
			w.count.Add(DropStranger, 1)
		} else if w.from(&w.parent, src) {
			w.above(now, m)
		}
	case xaggctl.Done, xaggctl.Tree:
		if m.Host != w.cfg.Root.ID {
			w.count.Add(DropStranger, 1)
		} else if w.from(&w.cfg.Root, src) {
			w.ofRoot(now, m, eff)
		}
	default:
		w.count.Add(DropKind, 1)
	}
}

// above takes a message of the parent.
func (w *Worker) above(now units.Time, m *xaggctl.Message) {
	switch {
	case m.Kind == xaggctl.Notice:
		w.node.Notice(now, rates.ID(w.parent.ID), notice(m))
		w.timing.answered(now, m, w.node.Rate(), &w.count)
		w.round.opened(m.Iteration, w.cfg.FirstIteration)
	case !w.begun:
		w.count.Add(DropEarly, 1)
	case !w.current(m, w.since):
	case m.Kind == xaggctl.Lost:
		if n := w.sending.report(m.Number, m.Lost); n > 0 {
			w.count.Add(DropIndex, n)
		}
	default:
		w.delivered(now)
	}
}

// delivered notes that the gradient is above.
func (w *Worker) delivered(now units.Time) {
	w.sending.stop()
	w.node.End(now)
	w.round.end(now, w.cfg.Measure)
}

// ofRoot takes an order, or the word that all results were sent. A worker that has them says so
// again, since its last word may be lost.
func (w *Worker) ofRoot(now units.Time, m *xaggctl.Message, eff *sansio.Effects) {
	switch {
	case m.Kind == xaggctl.Tree:
		w.ordered(now, m, eff)
	case !w.begun || later(m.Iteration, w.iteration):
		w.count.Add(DropEarly, 1)
	case m.Iteration != w.iteration:
		w.send(&w.cfg.Root, &xaggctl.Message{Kind: xaggctl.Complete, Iteration: m.Iteration}, eff)
	default:
		w.look.forget()
		w.recv.Done(now, hostBit(w.cfg.Root.ID))
		w.tell(now, eff)
	}
}

// results looks for results that came, and asks for those that were lost.
func (w *Worker) results(now units.Time, eff *sansio.Effects) {
	if !w.begun || w.complete {
		return
	}
	w.look.forget()
	if w.polls <= now {
		for _, c := range w.drain() {
			if c.Host == w.cfg.Root.ID && c.Iteration == w.iteration && c.Flags.Has(wire.Result) {
				w.recv.Checked(now, hostBit(c.Host), c.Gradient)
			}
		}
		w.polls = now.Add(w.cfg.Poll)
	}
	if w.recv.NextDeadline() <= now {
		w.recv.Expire(now)
	}
	w.tell(now, eff)
}

// tell sends the root what the groups of results say. Complete ends the iteration here.
func (w *Worker) tell(now units.Time, eff *sansio.Effects) {
	for _, e := range w.recv.Events() {
		m := xaggctl.Message{Kind: xaggctl.Complete, Iteration: w.iteration}
		if !e.Complete {
			m.Kind, m.Number, m.Lost = xaggctl.Lost, e.Report, e.Lost
			w.count.Add(CountReports, 1)
		} else if !w.complete {
			w.collect(now)
		}
		w.send(&w.cfg.Root, &m, eff)
	}
}

// collectBatch is the results of one call of the store (assumed: 256 KiB of values stay in a cache).
const collectBatch = 256

// collect takes the results out of the store. All gradients are there, whether the parent said so or
// not.
func (w *Worker) collect(now units.Time) {
	var room [collectBatch]xagg.Element
	for from := uint32(1); from <= w.cfg.Fragments; from += collectBatch {
		list := room[:min(collectBatch, w.cfg.Fragments-from+1)]
		if err := w.store.Results(from, list); err != nil {
			w.count.Add(CountStoreFailed, 1)
			continue
		}
		for i := range list {
			w.result(now, from+uint32(i), list[i].Values)
		}
	}
	w.complete, w.polls = true, units.Never
	w.delivered(now)
}

// result takes the values of one, where they are held.
func (w *Worker) result(now units.Time, index uint32, values []int32) {
	w.event(now, trace.ResultIn, index, "")
	if b := int(index - 1); w.cfg.Sample.Carries(b) {
		lo, hi := w.cfg.Sample.Span(b, w.cfg.Tensor, w.cfg.Values)
		copy(w.sums[lo:hi], values)
	}
}

// neighbour returns the parent.
func (w *Worker) neighbour(id rates.ID) *Peer {
	if uint32(id) == w.parent.ID {
		return &w.parent
	}
	return nil
}
