package worker

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Times are when a job trains, and when it does not.
type Times struct {
	Start units.Duration `json:",omitempty"` // from the epoch of the run to the first iteration
	Every int            `json:",omitempty"` // iterations between two pauses; zero: there are none
	Off   units.Duration `json:",omitempty"` // a pause; all results of the iteration before it are here when it begins
}

// Validate says which times cannot be.
func (t Times) Validate() error {
	var errs []error
	if t.Start < 0 {
		errs = append(errs, fmt.Errorf("a start at %v: jobs start at or after the begin of the run", t.Start))
	}
	if t.Every < 0 || t.Off < 0 || (t.Every > 0) != (t.Off > 0) {
		errs = append(errs, fmt.Errorf("a pause of %v after every %d iterations: both must be above 0, or both 0 for no pauses", t.Off, t.Every))
	}
	return errors.Join(errs...)
}

// start returns when the first iteration begins.
func (t Times) start() units.Time { return units.Time(0).Add(t.Start) }

// Idle returns how long a job of so many iterations waits for its start and in pauses. No
// pause follows the last iteration.
func (t Times) Idle(iterations int) units.Duration {
	if t.Every == 0 {
		return t.Start
	}
	return t.Start + units.Duration((iterations-1)/t.Every)*t.Off
}

// noteOver notes when the results of the last iteration before a pause are here, the next
// pause first. Pauses count from then on for all workers, also for one that sleeps meanwhile.
func (l *Loop) noteOver(now units.Time) {
	n := l.cfg.Every
	if n == 0 {
		return
	}
	for last := l.gen - l.gen%n + n - 1; l.core.Complete(last + n*len(l.overs)); {
		l.overs = append(l.overs, now)
	}
}

// pause begins a pause if one is due before the generation that is next, and reports
// whether it did. The updates of the model do not wait for its end.
func (l *Loop) pause(now units.Time, eff *sansio.Effects) bool {
	if l.cfg.Every == 0 || l.gen%l.cfg.Every > 0 {
		return false
	}
	end := now.Add(l.cfg.Off)
	if len(l.overs) > 0 {
		end = l.overs[0].Add(l.cfg.Off)
		l.overs = l.overs[1:]
	}
	if end <= now { // it slept through it
		return false
	}
	l.state, l.wake, l.begun = paused, end, end
	eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: end, Run: l.takeUpdates()})
	return true
}

// resume ends a pause. Generations may have passed without this worker, as during a sleep.
func (l *Loop) resume(now units.Time, eff *sansio.Effects) {
	l.state, l.wake = computing, now
	if !l.core.Complete(l.gen) {
		l.start(now, eff)
	}
}
