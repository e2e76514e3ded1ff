package xaggd

import (
	"cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// reports is the load of a server, as it tells the root.
type reports struct {
	load   xaggctl.Load
	number uint32
	tree   uint16     // version of its place; 0: it has none by an order
	due    units.Time // the first is due at once
}

func (r *reports) next(every units.Duration) units.Time {
	if every == 0 {
		return units.Never
	}
	return r.due
}

// SetLoad says what the server has to spare, from the next report on.
func (s *Server) SetLoad(load xaggctl.Load) { s.report.load = load }

// tellLoad reports the load when it is time.
func (s *Server) tellLoad(now units.Time, eff *sansio.Effects) {
	r := &s.report
	if r.next(s.every) > now {
		return
	}
	r.number++
	r.due = now.Add(s.every)
	s.send(&s.cfg.Root, &xaggctl.Message{Kind: xaggctl.Report, Iteration: s.iteration, Tree: r.tree, Number: r.number, Load: r.load}, eff)
}

// round is the times of a worker's first iteration (XAgg §V): t1 until it has a gradient, t2 until that
// is above.
type round struct {
	begun, ended units.Time
	running      bool
	due          units.Time // when to tell the root next
}

func (r *round) begin(now units.Time, first bool) {
	if first {
		r.begun, r.running = now, true
	}
}

// end notes when the gradient of the first iteration is above.
func (r *round) end(now units.Time, measure bool) {
	if r.running {
		r.ended, r.running = now, false
		if measure {
			r.due = now
		}
	}
}

// opened ends the telling once a later iteration is open.
func (r *round) opened(iteration, first uint16) {
	if later(iteration, first) {
		r.due = units.Never
	}
}

// tellRound tells the root the times, again and again: there is no answer.
func (w *Worker) tellRound(now units.Time, eff *sansio.Effects) {
	if w.round.due > now {
		return
	}
	w.round.due = now.Add(cmp.Or(w.cfg.Resend, rates.DefaultResend))
	t := xaggctl.Times{Training: max(w.round.begun.Sub(units.Time(w.cfg.Start)), 0), Transfer: w.round.ended.Sub(w.round.begun)}
	w.send(&w.cfg.Root, &xaggctl.Message{Kind: xaggctl.Round, Iteration: w.cfg.FirstIteration, Times: t}, eff)
}
