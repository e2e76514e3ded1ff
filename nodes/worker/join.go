package worker

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Checkpointer is a trainer whose model another worker can go on with. Its methods
// but StateLen are called inside Computes only.
type Checkpointer interface {
	Trainer
	// StateLen returns the number of values of a state.
	StateLen() int
	// State returns a copy of the model: all that updates change.
	State() []float32
	// SetState puts a State in place of the model. The next gradient is of generation
	// gen, or of a later one after as many updates.
	SetState(gen int, state []float32)
}

// lead is how many generations after the one at hand a worker promises its model for.
// Who takes it over needs the results of that generation and of all later ones, so it
// has at least one whole iteration to begin to listen (assumed to be enough).
const lead = 2

// TooLate is what [Loop.Leave] promises where too few iterations are left.
const TooLate = -1

// WhyTooLate says so.
const WhyTooLate = "too few iterations are left to hand a model over"

// promise is a model that is to be handed over.
type promise struct {
	from int // generation
	put  func(gen int, model []float32)
}

// Leave makes the worker leave its model for another one, and returns the generation
// from which on that one must keep results ([Loop.Join]): least or the second after
// the one at hand, whichever is later. If the job has no such generation it returns
// [TooLate], and put is not called.
//
// put is called once, inside a Compute, with the generation that the worker then begins
// to compute and the model that it does so with. The generation may be a later one than
// was promised, since a worker that slept goes on with the newest; after the last update
// it is the number of iterations. The model is put's to keep; it is nil where the
// trainer has none to give.
func (l *Loop) Leave(least int, put func(gen int, model []float32)) (from int) {
	from = max(l.gen+lead, least)
	if from >= l.cfg.Iterations {
		return TooLate
	}
	l.promises = append(l.promises, promise{from, put})
	return from
}

// handOver returns the work of keeping the promises that are due in generation gen.
func (l *Loop) handOver() func() {
	gen := l.gen
	var due, left []promise
	for _, p := range l.promises {
		if p.from <= gen {
			due = append(due, p)
		} else {
			left = append(left, p)
		}
	}
	l.promises = left
	return func() {
		for _, p := range due {
			var model []float32
			if c, ok := l.trainer.(Checkpointer); ok {
				model = c.State()
			}
			p.put(gen, model)
		}
	}
}

// Join makes a worker that has not started take part in a job that is under way. It
// keeps the results of generation gen, which [Loop.Leave] promised, and of later ones,
// as many as its collective does. It drops older ones, and begins when it is given a
// model. That of a [Resumer] begins with generation gen, which [Loop.Lend] told of, and is given
// two models.
func (l *Loop) Join(gen int) error {
	core, ok := l.core.(Skipper)
	resumes := l.Resumes()
	switch {
	case l.state != waiting:
		return fmt.Errorf("joining a job as %s: the worker is %s already: say so before its start", l.cfg.Node, l.stateName())
	case !ok && !resumes:
		return fmt.Errorf("joining a job as %s: a worker of %s takes part from the first generation on, or not at all", l.cfg.Node, l.cfg.System)
	case gen < 0 || gen > l.cfg.Iterations:
		return fmt.Errorf("joining a job as %s: generation %d is not in 0..%d", l.cfg.Node, gen, l.cfg.Iterations)
	}
	if !resumes {
		core.Skip(gen - 1)
	}
	l.gen, l.state, l.wake = gen, joining, units.Never
	return nil
}

// Restore gives the model of generation gen, that of Join or a later one, to a worker
// that joins, and keeps it. At now the worker begins to compute that generation; its
// first sample is of it, and starts then. The generations in between went on without
// this worker: it has no samples of them. If gen is the number of iterations the worker
// is done, without any sample. A trainer without state takes a model that is nil.
func (l *Loop) Restore(now units.Time, gen int, model []float32) error {
	if l.has(gen) {
		return nil
	}
	if err := l.checkModel(gen, model); err != nil {
		return fmt.Errorf("giving %s the model of generation %d: %w", l.cfg.Node, gen, err)
	}
	if l.early(gen) {
		l.next = &lent{gen, model}
		return nil
	}
	l.takeFrom(now, gen, model)
	return nil
}

// takeFrom has a worker begin with a model.
func (l *Loop) takeFrom(now units.Time, gen int, model []float32) {
	l.wake, l.restored = max(now, 0), gen
	l.given = func() {
		if c, ok := l.trainer.(Checkpointer); ok {
			c.SetState(gen, model)
		}
	}
}

func (l *Loop) checkModel(gen int, model []float32) error {
	want := 0
	if c, ok := l.trainer.(Checkpointer); ok {
		want = c.StateLen()
	}
	switch {
	case l.state != joining && !l.early(gen) || l.given != nil:
		return errors.New("it has one already, or did not ask for any: only a worker that joins is given a model, and once")
	case gen < l.gen || gen > l.cfg.Iterations:
		return fmt.Errorf("it joins at generation %d of %d", l.gen, l.cfg.Iterations)
	case len(model) != want:
		return fmt.Errorf("it is of %d values, and this worker's of %d: the models of a job have one size", len(model), want)
	}
	return nil
}

// join ends the wait for a model.
func (l *Loop) join(now units.Time, eff *sansio.Effects) {
	l.enter()
	if n := l.cfg.Every; n > 0 {
		l.overs = l.overs[min(len(l.overs), l.restored/n-l.gen/n):]
	}
	l.gen, l.begun, l.served = l.restored, now, 0
	l.point = 0
	l.event(now, trace.Joined)
	held := l.held
	l.held = nil
	if l.gen == l.cfg.Iterations {
		l.finish(now, held, eff)
		return
	}
	if held != nil {
		eff.Samples = append(eff.Samples, *held)
	}
	l.state = computing // of nothing yet, as after an update
	if !l.core.Complete(l.gen) {
		l.start(now, eff)
	}
}

// takeModel returns the work of putting a given model in place.
func (l *Loop) takeModel() func() {
	given := l.given
	l.given = nil
	if given == nil {
		return func() {}
	}
	return given
}
