package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/stall"
	"github.com/inalab/inalab/nodes/worker"
)

// Bounds of the look at the others after a process has died.
const (
	deathWait  = 2 * time.Second
	deathAgain = 300 * time.Millisecond // some timeouts of 10ms, and more than a link's queue holds
	deathNews  = 500 * time.Millisecond // from a broken stream to the end of who broke it: reaping takes milliseconds
)

// rootCause returns whose end is the cause, and the error that says so. A process that
// ended with a complaint may complain of a neighbour's death, which it noticed before
// the harness did: one that dies without a word soon after is the cause.
func (r *run) rootCause(ctx context.Context, first event, events <-chan event, complaint error) (event, error) {
	if first.report != nil || first.process.Died() {
		return first, complaint
	}
	limit := time.NewTimer(deathNews)
	defer limit.Stop()
	for {
		select {
		case e := <-events:
			if e.report == nil && e.process.Died() {
				return e, e.process.Wait()
			}
		case <-limit.C:
			return first, complaint
		case <-ctx.Done():
			return first, complaint
		}
	}
}

// afterDeath adds to the error of a process what the others wait for, if they come
// to rest: those of a system without timers do.
func (w *watch) afterDeath(ctx context.Context, dead event, events <-chan event, cause error) error {
	if dead.report != nil {
		return cause
	}
	w.ended = append(w.ended, dead.process.Node())
	ticks := time.NewTicker(deathAgain)
	defer ticks.Stop()
	limit := time.NewTimer(deathWait)
	defer limit.Stop()
	w.before = nil
	w.ask(time.Now())
	for {
		select {
		case e := <-events:
			if e.report == nil { // another one; the first is told
				return cause
			}
			if e.report.Kind == proc.ReportSnapshot && w.answer(e) != nil {
				return cause
			}
		case now := <-ticks.C:
			if len(w.owing) > 0 {
				continue
			}
			s := w.close()
			s.Workers = slices.DeleteFunc(s.Workers, func(k worker.Snapshot) bool { return k.Node == dead.process.Node() })
			s.Dead = []string{dead.process.Node()}
			if w.before != nil && s.Idle() && !stall.Moved(w.before, s) {
				return fmt.Errorf("%w; %v", cause, stall.Diagnose(w.jobOf(dead.process), s))
			}
			w.before = s
			w.ask(now)
		case <-limit.C:
			return cause
		case <-ctx.Done():
			return cause
		}
	}
}
