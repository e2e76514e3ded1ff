package trio

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// SetTimer has a timer start its threads otherwise from now on: at another entry of the program, or
// in another period. It has as many threads as before. Where the period is another one, it lies whole
// between the last start of a thread before and its first one after. It must not be called within
// Handle or Expire.
func (p *PFE) SetTimer(now units.Time, name string, t Timer) error {
	i := slices.IndexFunc(p.cfg.Timers, func(o Timer) bool { return o.Name == name })
	if i < 0 {
		return fmt.Errorf("PFE %s has no timer %q", p.cfg.Node, name)
	}
	if had := p.cfg.Timers[i].Threads; t.Threads != had {
		return fmt.Errorf("timer %q: %d threads in place of %d: only entry and period may change", name, t.Threads, had)
	}
	cfg := p.cfg
	cfg.Timers = slices.Clone(cfg.Timers)
	cfg.Timers[i] = t
	if err := cfg.validateTimer(i); err != nil {
		return err
	}
	p.cfg.Timers = cfg.Timers
	p.phase.period = shortestPeriod(cfg.Timers)
	own := &p.timers.list[i]
	again := t.Period != own.Period
	own.Timer, own.cache = t, startCache{}
	own.entry, _ = p.cfg.Program.TimerEntry(t.Name)
	if again {
		own.set(own.firstAfter(now) + int64(t.Threads))
	}
	return nil
}
