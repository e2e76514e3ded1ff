package worker

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Collective is the host core of an all-reduce protocol.
type Collective interface {
	sansio.Machine
	// Begin starts reducing this worker's gradient of generation gen. The
	// gradient is borrowed until the generation is complete.
	Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects)
	// Complete reports whether the results of generation gen are all here;
	// that may be so before Begin.
	Complete(gen int) bool
	// Finish ends the complete generation gen; generations are finished in order,
	// each once. The function that it returns writes the mean gradient; it shares
	// no memory with the core any more, so that it may be called at any time, once,
	// on any goroutine. A [Lender] keeps its memory for it until it is Returned.
	Finish(gen int) (out result.Outcome, mean func(dst []float32))
	// Counters returns packets by type and drops by reason.
	Counters() []sansio.Count
}

// Lender is a collective that uses the memory of a finished generation again once its mean
// has been written, so that none is fetched from the kernel while packets are waiting.
type Lender interface {
	// Returned says that of the functions that Finish gave, the first n that were not yet
	// spoken of have been called, or never will be.
	Returned(n int)
}

// Trainer is the model and its data. Its methods take the time they take and
// are called inside Computes only.
type Trainer interface {
	// Params returns the length of the gradient.
	Params() int
	// Gradient writes the mean gradient of the next mini-batch and returns its
	// mean loss.
	Gradient(grad []float32) (loss float64)
	// Apply updates the model by a mean gradient over all workers.
	Apply(mean []float32)
	// Accuracy returns the share of test images that the model gets right.
	Accuracy() float64
}

// Roster is a collective that is told who is out of service.
type Roster interface {
	// Absent returns the workers that are out of service in generation gen, which
	// is not finished. All workers of a job are given the same answer by the time
	// that they can begin to compute it.
	Absent(gen int) trace.Mask
}

// Sharer is a trainer that computes a part of the share of workers that are out of
// service. Its gradient is then weighed, so that the sum of all, divided by the number
// of present workers, is the mean over the whole batch.
type Sharer interface {
	// Share says which generation the next gradient is of, and who is absent.
	Share(gen int, absent trace.Mask)
}

// LoopConfig describes one worker's loop.
type LoopConfig struct {
	Node       string
	System     string  // for the samples
	StraggleP  float64 // for the samples
	Job        string  `json:",omitempty"` // for the samples
	Worker     int
	Iterations int              // updates until the worker is done, at least 1
	Compute    units.Duration   // nominal time of forward, backward and update
	Points     int              // delay points of an iteration, at least 1
	Delays     []units.Duration // by iteration*Points+point; nil: none
	Evaluate   bool             // measure the accuracy after the last update
	Reshard    int              `json:",omitempty"` // workers of the job, if they divide the shares of those out of service; zero: they do not
	Times
	Trace trace.Sink `json:"-"`
}

func (c LoopConfig) validate() error {
	var errs []error
	if c.Iterations < 1 || c.Points < 1 || c.Compute < 0 {
		errs = append(errs, fmt.Errorf("%d iterations, %d delay points, compute %v: the first two must be positive, the last not negative", c.Iterations, c.Points, c.Compute))
	}
	errs = append(errs, c.Times.Validate())
	if c.Delays != nil && len(c.Delays) != c.Iterations*c.Points {
		errs = append(errs, fmt.Errorf("%d delays for %d iterations of %d points", len(c.Delays), c.Iterations, c.Points))
	}
	return errors.Join(errs...)
}

type state uint8

const (
	waiting    state = iota // for the start of the run
	joining                 // for a model, then until wake
	delayed                 // asleep until wake
	computing               // until wake
	reducing                // for results
	charged                 // until wake, in place of reducing
	evaluating              // the last Compute, until wake
	paused                  // until wake
	done
)

// Loop is the training loop around a collective. It meets sansio.Machine with
// the collective's ports.
type Loop struct {
	cfg     LoopConfig
	core    Collective
	trainer Trainer

	state state
	wake  units.Time // end of a delay or of a part of the compute
	point int        // delay point that was reached last

	gen      int
	nominal  units.Duration // compute time of gen
	begun    units.Time     // last update
	served   units.Duration
	grad     []float32
	loss     *float64          // set by the running Compute, read after it
	began    units.Time        // of the iteration's compute
	computes units.Duration    // sum of the computes that came to their end, delays left out
	computed int               // their number
	updates  []func([]float32) // means not yet handed to a Compute
	finished int               // generations that were finished since a Compute was started last
	lent     int               // generations whose means were given to Computes and may still be read
	mean     []float32         // scratch of Computes
	overs    []units.Time      // when the results of the last generation before each pause to come were here
	last     *result.Sample    // nil: none, this worker joined when all was over

	promises []promise      // of the model to others
	lends    units.Time     // when one of them is due of the generation at hand, which is being reduced; never: none is
	given    func()         // puts the model in place with which this worker joins; nil: there is none, or it was done
	restored int            // the generation that it is of
	entered  int            // the generation that it took part in first, of which it has not all results; none: it has
	next     *lent          // the model behind that one, if it is here before that is over
	held     *result.Sample // of that one, until the model is there

	chargedUntil units.Time // not zero: the round takes place without packets until then
}

// New returns a loop that starts at time 0, unless it is told otherwise.
func New(cfg LoopConfig, core Collective, trainer Trainer) (*Loop, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring the training loop of %s: %w", cfg.Node, err)
	}
	return &Loop{
		cfg: cfg, core: core, trainer: trainer, nominal: cfg.Compute, begun: cfg.start(),
		grad: make([]float32, trainer.Params()), mean: make([]float32, trainer.Params()),
		entered: none, lends: units.Never,
	}, nil
}

// Done reports whether all iterations are over.
func (l *Loop) Done() bool { return l.state == done }

// Iteration returns the number of model updates so far.
func (l *Loop) Iteration() int { return l.gen }

// MeanCompute returns the mean time from the start of a compute to its end,
// delays left out, over those that came to their end; 0 where none did.
func (l *Loop) MeanCompute() units.Duration {
	return l.computes / units.Duration(max(1, l.computed))
}

// Core returns the collective inside.
func (l *Loop) Core() Collective { return l.core }

// NextDeadline returns the core's or the loop's own.
func (l *Loop) NextDeadline() units.Time {
	switch l.state {
	case waiting:
		return min(l.cfg.start(), l.core.NextDeadline())
	case joining, delayed, computing, charged, evaluating, paused:
		return min(l.wake, l.core.NextDeadline())
	case reducing:
		return min(l.lends, l.core.NextDeadline())
	case done:
		return units.Never
	}
	return l.core.NextDeadline()
}

// Handle passes packets to the core and goes on if that completed something.
func (l *Loop) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	l.core.Handle(now, in, eff)
	l.noteOver(now)
	l.progress(now, eff)
}

// Expire ends a delay or a part of the compute.
func (l *Loop) Expire(now units.Time, eff *sansio.Effects) {
	if l.core.NextDeadline() <= now {
		l.core.Expire(now, eff)
		l.noteOver(now)
	}
	switch {
	case l.state == waiting && now >= l.cfg.start():
		l.start(now, eff)
	case l.state == joining && now >= l.wake:
		l.join(now, eff)
	case l.state == reducing && now >= l.lends:
		l.lend(now, eff)
	case l.state == delayed && now >= l.wake:
		l.event(now, trace.DelayEnded)
		l.state = computing // awake: progress may find that the others went on
		l.wake = now
		if !l.core.Complete(l.gen) {
			l.compute(now)
		}
	case l.state == computing && now >= l.wake:
		l.reach(now, l.point+1, eff)
	case l.state == charged && now >= l.wake:
		l.update(now, eff)
	case l.state == paused && now >= l.wake:
		l.resume(now, eff)
	case l.state == evaluating && now >= l.wake:
		l.state = done
		if l.last != nil {
			eff.Samples = append(eff.Samples, *l.last)
		}
	}
	l.progress(now, eff)
}

// progress applies generations that are complete. A sleeper notices nothing.
func (l *Loop) progress(now units.Time, eff *sansio.Effects) {
	for (l.state == computing || l.state == reducing) && l.core.Complete(l.gen) {
		l.update(now, eff)
	}
}

// start begins an iteration: the gradient is computed by the end of its last
// part, delays included.
func (l *Loop) start(now units.Time, eff *sansio.Effects) {
	share := l.share()
	until := now.Add(l.nominal)
	for p := range l.cfg.Points {
		until = until.Add(l.delay(p))
	}
	update, handOver, loss := l.takeUpdates(), l.handOver(), new(float64)
	l.loss, l.served, l.began = loss, 0, now
	l.lent, l.finished = l.lent+l.finished, 0
	eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: until, Run: func() {
		update()
		handOver()
		share()
		*loss = l.trainer.Gradient(l.grad)
	}})
	l.reach(now, 0, eff)
}

// reach arrives at a delay point, or behind the last one at the all-reduce.
func (l *Loop) reach(now units.Time, point int, eff *sansio.Effects) {
	l.point = point
	if point == l.cfg.Points {
		if l.nominal == l.cfg.Compute { // a larger share says nothing of the model
			l.computes += now.Sub(l.began) - l.served
			l.computed++
		}
		l.reduce(now, eff)
		return
	}
	d := l.delay(point)
	if d == 0 {
		l.compute(now)
		return
	}
	l.state, l.wake = delayed, now.Add(d)
	l.served += d
	l.event(now, trace.DelayBegan)
}

// compute starts the part of the compute behind the current delay point.
func (l *Loop) compute(now units.Time) {
	l.state, l.wake = computing, now.Add(l.part(l.point))
}

// part returns the length of the part of the compute behind a delay point.
func (l *Loop) part(point int) units.Duration {
	n, p := units.Duration(l.cfg.Points), units.Duration(point)
	return l.nominal*(p+1)/n - l.nominal*p/n
}

func (l *Loop) delay(point int) units.Duration {
	if l.cfg.Delays == nil {
		return 0
	}
	return l.cfg.Delays[l.gen*l.cfg.Points+point]
}

func (l *Loop) event(now units.Time, kind trace.Kind) {
	if l.cfg.Trace != nil {
		l.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: l.cfg.Node, Gen: uint32(l.gen), Source: uint8(l.cfg.Worker), Block: uint32(l.point)})
	}
}
