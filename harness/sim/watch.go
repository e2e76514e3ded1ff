package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/stall"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
)

// Observer sees a run go on.
type Observer struct {
	Progress Progress   // may be nil
	Log      *trace.Log // takes the events of all nodes; nil: the last ones are kept, to say why a run stalls
	Watch    Stopwatch  // may be nil
	Tap      Tap        // of the wires; nil: nobody looks
}

// logFor returns the log of a run. Replays and benchmarks have none of their own,
// for speed.
func (o Observer) logFor(s *job.Set) *trace.Log {
	if o.Log == nil && s.Trains() {
		return trace.NewLog(0)
	}
	return o.Log
}

// sink joins the log of the run with others, which may be nil.
func (r *run) sink(others ...trace.Sink) trace.Sink {
	if r.log != nil {
		others = append(others, r.log)
	}
	return trace.Join(others...)
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

// watch notices that a run goes on without getting on. It looks away as long as a job with
// byte streams runs: these have timeouts of minutes, and give up by themselves.
type watch struct {
	run     *run
	bound   units.Duration
	next    units.Time
	before  *stall.Snapshot
	stalled bool
}

func newWatch(r *run) *watch {
	w := &watch{run: r, bound: stillLeast}
	for _, t := range r.tenants {
		w.bound = max(w.bound, stillIterations*t.cell.Expected)
	}
	w.next = r.set.Settled().Add(w.bound) // what does not get on may do so behind a change
	return w
}

// done reports whether the run is over, one way or the other.
func (w *watch) done() bool {
	if w.run.done() {
		return true
	}
	if w.run.net.now < w.next {
		return false
	}
	w.next = w.run.net.now.Add(w.bound)
	if w.run.streams() {
		w.before = nil
		return false
	}
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
		return fmt.Errorf("%w%s", err, w.run.progressText())
	}
	return fmt.Errorf("%w%s%s; %v", err, w.run.progressText(), w.run.gaveUpText(), stall.Diagnose(w.run.unfinished(), w.run.snapshot()))
}

// exhausted ends the names of counters of connections that sent again as often as they do, in vain.
const exhausted = "-retries-exhausted"

// gaveUpText names the nodes with connections that gave up; empty where none did.
func (r *run) gaveUpText() string {
	var who []string
	for _, t := range r.tenants {
		for _, c := range t.counted {
			for _, k := range c.counters() {
				if k.N > 0 && strings.HasSuffix(k.Name, exhausted) {
					who = append(who, fmt.Sprintf("%s (%d)", c.name, k.N))
				}
			}
		}
	}
	if who == nil {
		return ""
	}
	return "; connections gave up, after all their timeouts in a row: " + strings.Join(who, ", ")
}

// streams reports whether a job with byte streams is not done.
func (r *run) streams() bool {
	return slices.ContainsFunc(r.tenants, func(t *tenant) bool { return t.job.Layout.Peers != nil && !t.over() })
}

// unfinished returns the first job that is not done.
func (r *run) unfinished() *job.Job {
	for _, t := range r.tenants {
		if !t.over() {
			return t.job
		}
	}
	return r.tenants[0].job
}

// snapshot returns the state of all nodes.
func (r *run) snapshot() *stall.Snapshot {
	s := &stall.Snapshot{At: r.net.now}
	for _, sw := range r.switches {
		if sw.chassis != nil {
			s.Switches = append(s.Switches, sw.chassis.Snapshot(r.log))
		}
	}
	for _, t := range r.tenants {
		for _, server := range t.servers {
			if state, ok := chassis.Look(server.name, server.machine); ok {
				s.Servers = append(s.Servers, state)
			}
		}
		for i, w := range t.workers {
			if !t.gone[i] {
				s.Workers = append(s.Workers, w.Snapshot(r.log))
				if state, ok := chassis.Look(w.Beside()); ok {
					s.Servers = append(s.Servers, state)
				}
			}
		}
	}
	return s
}
