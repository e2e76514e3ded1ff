package worker

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Resumer is a collective whose job waits for a worker that ended, until it is there again and
// goes on with what is not reduced yet. That worker takes part in the generation at hand: it computes
// the same gradient, from the same model. It has not all results of that generation, so
// it is given the next model too.
type Resumer interface {
	Collective
	// Resume makes a core that was not there before take part from generation gen on, which
	// begins next. That generation is complete when all that it sends of it is reduced.
	Resume(gen int)
}

// none is no generation.
const none = -1

// lent is a model that another worker gave.
type lent struct {
	gen   int
	model []float32
}

// Resumes reports whether the job of a worker waits for those that ended ([Resumer]).
func (l *Loop) Resumes() bool {
	_, ok := l.core.(Resumer)
	return ok
}

// Lend makes a worker of a [Resumer] give another one its model: that of the generation at hand as
// soon as it is there, and then that of the next one. It returns which generation is at hand, or [TooLate] if
// none is left. Put is called for each of the two, as that of [Loop.Leave] is.
func (l *Loop) Lend(now units.Time, put func(gen int, model []float32)) (gen int) {
	if l.gen >= l.cfg.Iterations {
		return TooLate
	}
	l.promises = append(l.promises, promise{l.gen, put}, promise{l.gen + 1, put})
	l.lends = max(now, 0)
	return l.gen
}

// lend gives models away in the midst of a generation.
func (l *Loop) lend(now units.Time, eff *sansio.Effects) {
	l.lends = units.Never
	eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: now, Run: l.handOver()})
}

// has reports whether a worker of a [Resumer] needs no model of a generation: it is past that, or another one
// gave it the same.
func (l *Loop) has(gen int) bool {
	switch {
	case !l.Resumes() || l.state == waiting:
		return false
	case l.state == joining:
		return l.given != nil || gen < l.gen
	}
	return l.next != nil || l.entered == none || gen <= l.entered
}

// early reports whether a model is the one behind the generation that a worker entered, which is not over yet.
func (l *Loop) early(gen int) bool {
	return l.entered != none && l.state != joining && gen == l.entered+1
}

// enter takes part in the generation of the model that was given.
func (l *Loop) enter() {
	core, ok := l.core.(Resumer)
	switch {
	case !ok:
		l.core.(Skipper).Skip(l.restored - 1)
	case l.entered != none: // of the next one it lacks nothing
		l.entered = none
	default:
		l.entered = l.restored
		core.Resume(l.restored)
	}
}

// await ends the generation that a worker entered, and waits for the model behind it: some of the sums were
// there before this worker.
func (l *Loop) await(now units.Time) {
	out, _ := l.core.Finish(l.gen)
	l.finished++
	l.held = &result.Sample{
		System: l.cfg.System, StraggleP: l.cfg.StraggleP, Job: l.cfg.Job, Worker: l.cfg.Worker, Iteration: l.gen,
		Start: l.begun, End: now, Delay: l.served, Retransmits: out.Retransmits, Contributed: out.Contributed, Loss: l.loss,
	}
	l.event(now, trace.Reduced)
	l.gen++
	l.state, l.wake = joining, units.Never
	if n := l.next; n != nil {
		l.next = nil
		l.takeFrom(now, n.gen, n.model)
	}
}
