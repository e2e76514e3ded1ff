package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/stall"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Observer sees a run go on.
type Observer struct {
	Progress Progress   // may be nil
	Log      *trace.Log // takes the events of all nodes; nil: the last ones are kept, to say why a run stalls
	Watch    Stopwatch  // may be nil
}

// logFor returns the log of a run. A replay and a benchmark have none of their
// own, for speed.
func (o Observer) logFor(j *job.Job) *trace.Log {
	if o.Log == nil && !j.Replay && j.Elements == 0 {
		return trace.NewLog(0)
	}
	return o.Log
}

// sinks is where the events of a run go.
type sinks struct {
	check trace.Sink // those of switches; may be nil
	log   *trace.Log // likewise
}

func (s sinks) switches() trace.Sink {
	if s.log == nil {
		return s.check
	}
	return trace.Join(s.check, s.log)
}

func (s sinks) workers(j *job.Job) trace.Sink {
	if s.log == nil {
		return j.Trace
	}
	return trace.Join(j.Trace, s.log)
}

// ErrNoProgress is returned when timers fire and packets are sent, and no worker
// gets on.
var ErrNoProgress = errors.New("packets are sent again and again, and no worker gets on")

// Bounds of the virtual time in which some worker must get on; up to twice as long
// passes until it is noticed. Retransmission timeouts are around a millisecond
// (SwitchML §6.3): a second holds more of them than chance would ever lose in a row.
const (
	stillIterations = 20 // expected iterations
	stillLeast      = units.Second
)

// watch notices that a run goes on without getting on.
type watch struct {
	run     *run
	job     *job.Job
	bound   units.Duration // 0: streams have timeouts of minutes, and give up by themselves
	next    units.Time
	before  *stall.Snapshot
	stalled bool
}

func newWatch(r *run, j *job.Job, expected units.Duration) *watch {
	w := &watch{run: r, job: j}
	if j.Layout.Peers == nil {
		w.bound = max(stillIterations*expected, stillLeast)
		w.next = units.Time(0).Add(w.bound)
	}
	return w
}

// done reports whether the run is over, one way or the other.
func (w *watch) done() bool {
	if w.run.done() {
		return true
	}
	if w.bound == 0 || w.run.net.now < w.next {
		return false
	}
	w.next = w.run.net.now.Add(w.bound)
	now := w.run.snapshot()
	w.stalled = w.before != nil && now.Idle() && !stall.Moved(w.before, now)
	w.before = now
	return w.stalled
}

// explain returns the error of a run that came to no good end, with what it
// waits for; err is what stopped it.
func (w *watch) explain(ctx context.Context, err error) error {
	switch {
	case w.stalled:
		err = fmt.Errorf("at %v of virtual time: %w", w.run.net.now, ErrNoProgress)
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w%s", err, w.run.where())
	}
	return fmt.Errorf("%w%s; %v", err, w.run.where(), stall.Diagnose(w.job, w.run.snapshot()))
}

// snapshot returns the state of all nodes.
func (r *run) snapshot() *stall.Snapshot {
	s := &stall.Snapshot{At: r.net.now}
	for _, sw := range r.switches {
		s.Switches = append(s.Switches, sw.Snapshot(r.log))
	}
	for _, w := range r.workers {
		s.Workers = append(s.Workers, w.Snapshot(r.log))
	}
	return s
}
