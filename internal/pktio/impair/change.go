package impair

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Change is other parameters from some time on.
type Change struct {
	At units.Time // from the epoch, which [Link.Begin] says
	Params
}

// validateChanges reports the faults of the changes.
func (c *Config) validateChanges() (errs []error) {
	for i := range c.Changes {
		g := &c.Changes[i]
		for _, err := range append(g.validateParams(), c.needStreams(&g.Params)...) {
			errs = append(errs, fmt.Errorf("from %v on: %w", units.Duration(g.At), err))
		}
		if g.At < 0 {
			errs = append(errs, fmt.Errorf("a change at %v: it must be at the epoch or later", units.Duration(g.At)))
		}
		if i > 0 && g.At < c.Changes[i-1].At {
			errs = append(errs, fmt.Errorf("a change at %v stands behind one at %v: put them in the order of time", units.Duration(g.At), units.Duration(c.Changes[i-1].At)))
		}
	}
	return errs
}

// alwaysPerfect reports whether the link leaves every frame as and when it is, now and
// after every change.
func (c *Config) alwaysPerfect() bool {
	for i := range c.Changes {
		if !c.Changes[i].perfect() {
			return false
		}
	}
	return c.Params.perfect()
}

// period is a time in which the same parameters hold.
type period struct {
	*Params
	next units.Time // when it ends
	rest []Change   // the periods behind it, by the link's clock
}

func newPeriod(p *Params, rest []Change) period {
	next := units.Never
	if len(rest) > 0 {
		next = rest[0].At
	}
	return period{p, next, rest}
}

// at returns the period that t is in; p must not be later.
func (p period) at(t units.Time) period {
	for len(p.rest) > 0 && p.next <= t {
		p = newPeriod(&p.rest[0].Params, p.rest[1:])
	}
	return p
}

// Begin says when the epoch is, by the link's clock. Changes come at their times from then on,
// and frames inside keep what they have. It is called once at the most.
func (l *Link) Begin(epoch units.Time) {
	if len(l.cfg.Changes) == 0 {
		return
	}
	l.changes = make([]Change, len(l.cfg.Changes))
	for i, c := range l.cfg.Changes {
		l.changes[i] = Change{epoch.Add(units.Duration(c.At)), c.withDefaults()}
	}
	l.busy = make([]units.Duration, len(l.changes))
	l.coming, l.sending = newPeriod(&l.cfg.Params, l.changes), newPeriod(&l.cfg.Params, l.changes)
}

// changeQueue has the queue be as it is to be now.
func (l *Link) changeQueue() {
	l.coming = l.coming.at(l.now)
	l.queue.limit = l.coming.Queue
}

// changeLine has line and wire be as they are to be when a frame starts. What counts frames
// starts anew where it changes.
func (l *Link) changeLine(start units.Time) {
	before := l.sending
	l.sending = before.at(start)
	for i := l.begun(before); i < l.begun(l.sending); i++ {
		l.busy[i] = l.stats.Busy
	}
	if l.sending.Rate != before.Rate {
		l.serial = units.Serializer{Rate: l.sending.Rate} // a remainder means nothing at another rate
	}
	if l.sending.LossEvery != before.LossEvery {
		l.nth = 0
	}
	if l.sending.Bursts != before.Bursts {
		l.bad = false
	}
	if l.sending.Reorder != before.Reorder || l.sending.ReorderGap != before.ReorderGap {
		l.behind = 0
	}
	if l.sending.Script != before.Script {
		l.script = newScript(l.sending.Script)
	}
	l.lossy = l.sending.loses()
}

// begun returns how many changes had come in a period.
func (l *Link) begun(p period) int { return len(l.changes) - len(p.rest) }

// Changed returns how many changes had come at a time of the link's clock.
func (l *Link) Changed(at units.Time) int {
	return l.begun(newPeriod(&l.cfg.Params, l.changes).at(at))
}

// Use returns what the line sent, framing included, over what it could have sent from one
// instant to another, the time of the latest call or later. Where the rate never changes that
// is the share of the time in which it was busy. Nothing may have come before. A link without a
// rate has none.
func (l *Link) Use(from, until units.Time) float64 {
	if len(l.changes) == 0 {
		if l.cfg.Rate == 0 || until <= from {
			return 0
		}
		return float64(l.stats.Busy) / float64(until-from)
	}
	var sent, could float64
	since, busy, rate := from, units.Duration(0), l.cfg.Rate
	add := func(end units.Time, total units.Duration) {
		sent += float64(float64(rate) * float64(total-busy))
		could += float64(float64(rate) * float64(max(0, end-since)))
		since, busy = max(since, end), total
	}
	for i := range l.changes {
		total := l.stats.Busy
		if i < l.begun(l.sending) {
			total = l.busy[i]
		}
		add(min(l.changes[i].At, until), total)
		rate = l.changes[i].Rate
	}
	add(until, l.stats.Busy)
	if could == 0 {
		return 0
	}
	return sent / could
}
