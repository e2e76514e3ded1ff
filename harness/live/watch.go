package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/stall"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/daemon"
)

// ErrStalled is returned when nothing moves any more and the run is not done.
var ErrStalled = errors.New("nothing moves any more")

// Bounds of the watchdog. A run is stalled when no iteration ended for the quiet
// time, and in another quiet time no worker got on, sleeps or computes.
const (
	watchTick       = 250 * time.Millisecond
	quietLeast      = 3 * time.Second  // some hundred retransmission timeouts of 10ms
	quietStreams    = 10 * time.Second // kernel TCP doubles its timeout from 200ms, five losses in a row are 6.4s
	quietIterations = 4                // expected iterations, and times of patience
	answerWait      = 3 * time.Second  // for the answers to one question
)

// watch is the watchdog of a run. It lives on the goroutine that follows the run.
type watch struct {
	run     *run
	quiet   time.Duration
	settled time.Time // when the links have changed for the last time
	next    time.Time // of the next question
	asked   time.Time // of the question that is out; zero: none is
	owing   map[string]bool
	ended   []string // workers that are done
	now     *stall.Snapshot
	before  *stall.Snapshot
}

func newWatch(r *run) *watch {
	least := quietLeast
	if slices.ContainsFunc(r.tenants, func(t *tenant) bool { return t.job.Layout.Peers != nil }) {
		least = quietStreams
	}
	quiet := cmp.Or(r.opt.quiet, least)
	for _, t := range r.tenants {
		expected := time.Duration((t.cell.Expected + t.job.Layout.Patience) / units.Nanosecond)
		quiet = max(quiet, quietIterations*expected)
	}
	w := &watch{run: r, quiet: quiet, settled: time.Now().Add(time.Duration(units.Duration(r.set.Settled()) / units.Nanosecond))}
	w.restart()
	return w
}

// take notes what an event says about progress.
func (w *watch) take(e event) error {
	switch {
	case e.report == nil:
		if !w.run.course.down[e.process] {
			w.ended = append(w.ended, e.process.Node())
		}
		w.restart()
	case e.report.Kind == proc.ReportSample:
		w.restart()
	case e.report.Kind == proc.ReportSnapshot:
		return w.answer(e)
	}
	return nil
}

// restart begins a quiet time: not before the links have changed for the last time, since what
// does not get on may do so then.
func (w *watch) restart() {
	from := time.Now()
	if from.Before(w.settled) {
		from = w.settled
	}
	w.next, w.asked, w.before = from.Add(w.quiet), time.Time{}, nil
}

// tick asks, or judges the answers, when it is time for it.
func (w *watch) tick(now time.Time) error {
	switch {
	case w.asked.IsZero() && now.After(w.next):
		w.ask(now)
	case !w.asked.IsZero() && (len(w.owing) == 0 || now.Sub(w.asked) > answerWait):
		return w.judge(now)
	}
	return nil
}

// ask asks all nodes that run where things stand.
func (w *watch) ask(now time.Time) {
	w.asked, w.now, w.owing = now, &stall.Snapshot{}, map[string]bool{}
	for _, p := range slices.Concat(w.run.switches, w.run.servers, w.run.workers) {
		if w.run.course.down[p] {
			continue
		}
		if slices.Contains(w.ended, p.Node()) {
			if t := w.run.tenantOf(p); t != nil {
				w.now.Workers = append(w.now.Workers, worker.Snapshot{Node: p.Node(), Iteration: t.job.Iterations, State: worker.StateDone})
			}
			continue
		}
		if p.Send(proc.Command{Name: proc.CommandSnapshot}) == nil { // else its end is on the way here
			w.owing[p.Node()] = true
		}
	}
}

// answer adds what a node says. Answers to a question that was given up are late.
func (w *watch) answer(e event) error {
	node := e.process.Node()
	if w.asked.IsZero() || !w.owing[node] {
		return nil
	}
	delete(w.owing, node)
	var err error
	busy := false
	switch {
	case slices.Contains(w.run.switches, e.process):
		var a daemon.Answer
		if err = json.Unmarshal(e.report.Data, &a); err == nil && !a.Busy {
			w.now.Switches = append(w.now.Switches, a.State)
		}
		busy = a.Busy
	case slices.Contains(w.run.servers, e.process):
		var a hostlive.ServerAnswer
		if err = json.Unmarshal(e.report.Data, &a); err == nil && a.State.Node != "" {
			w.now.Servers = append(w.now.Servers, a.State)
		}
		busy = a.Busy
	default:
		var a hostlive.WorkerAnswer
		if err = json.Unmarshal(e.report.Data, &a); err == nil && !a.Busy {
			w.now.Workers = append(w.now.Workers, a.State.Snapshot)
			if a.State.Server != nil {
				w.now.Servers = append(w.now.Servers, *a.State.Server)
			}
		}
		busy = a.Busy
	}
	if err != nil {
		return fmt.Errorf("reading the snapshot of %s: %w", node, err)
	}
	if busy {
		w.now.Busy = append(w.now.Busy, node)
	}
	return nil
}

// judge compares two rounds of answers.
func (w *watch) judge(now time.Time) error {
	s := w.close()
	if w.before != nil && s.Idle() && !stall.Moved(w.before, s) {
		return fmt.Errorf("%w: no worker got on for %v: %v", ErrStalled, 2*w.quiet, stall.Diagnose(w.unfinished(), s))
	}
	w.before, w.next = s, now.Add(w.quiet)
	return nil
}

// unfinished returns the first job with a worker that is not done.
func (w *watch) unfinished() *job.Job {
	for _, t := range w.run.tenants {
		if !t.over() {
			return t.job
		}
	}
	return w.run.set.Jobs[0]
}

// jobOf returns the job that misses a process: of a switch, one that is not done.
func (w *watch) jobOf(p *proc.Process) *job.Job {
	if t := w.run.tenantOf(p); t != nil {
		return t.job
	}
	return w.unfinished()
}

// close returns the snapshot, with those who owe an answer.
func (w *watch) close() *stall.Snapshot {
	s := w.now
	for _, node := range w.run.nodes() { // in order
		if w.owing[node] {
			s.Silent = append(s.Silent, node)
		}
	}
	w.asked = time.Time{}
	return s
}
