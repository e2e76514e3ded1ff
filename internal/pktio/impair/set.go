package impair

import (
	"math/bits"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Set has the link have other parameters from now on, the time of the latest call or later, which
// nobody knew of before. Frames that wait are sent at the new rate, and meet the new delay; whether they
// are lost is decided already. Changes that were to come do not. Of cfg, parameters and random streams
// count: the streams take the place of those that there were. The deadline of the link may move.
func (l *Link) Set(now units.Time, cfg Config) error {
	cfg.Name, cfg.Out, cfg.With, cfg.Quantum, cfg.MaxInFlight, cfg.Changes = l.cfg.Name, l.cfg.Out, l.cfg.With, l.cfg.Quantum, l.cfg.MaxInFlight, nil
	if err := cfg.validate(); err != nil {
		return err
	}
	if now >= l.sending.next {
		l.changeLine(now)
	}
	p := cfg.withDefaults()
	l.reschedule(now, &p)
	l.coming = l.coming.at(now)
	begun := min(l.begun(l.coming), len(l.changes))
	l.changes = append(slices.Clone(l.changes[:begun]), Change{now, p})
	l.busy = append(slices.Clone(l.busy[:begun]), 0)
	rest := l.changes[begun:]
	l.coming, l.sending = period{l.coming.Params, now, rest}, period{l.sending.Params, now, rest}
	cfg.Params, cfg.Changes = l.cfg.Params, l.cfg.Changes
	l.cfg = cfg // periods point to its parameters, which stay
	l.perfect, l.labelled = false, l.labelled || p.Script != ""
	return nil
}

// reschedule has the frames that wait meet a new rate and delay. The frame on the line keeps its time.
func (l *Link) reschedule(now units.Time, p *Params) {
	l.queue.drain(now)
	old := l.sending.Params
	if l.queue.waiting.len() == 0 || l.cfg.With != nil || old.Rate == 0 {
		return
	}
	base := l.queue.waiting.front().start
	at := func(t units.Time) units.Time { return base.Add(scaled(t.Sub(base), old.Rate, p.Rate)) }
	arrivals := func(from, to units.Duration) func(units.Time) units.Time {
		var latest units.Time
		return func(due units.Time) units.Time {
			if end := due.Add(-from); end > base {
				due = at(end).Add(to)
			}
			latest = max(latest, due)
			return latest
		}
	}
	arrives, overtakes := arrivals(old.Delay, p.Delay), arrivals(0, 0)
	l.wire.reschedule(arrives)
	l.fast.reschedule(overtakes)
	l.lastDue = arrives(l.lastDue)
	for i := range l.queue.waiting.len() {
		w := l.queue.waiting.nth(i)
		w.start = at(w.start)
	}
	saved := l.line.free.Sub(at(l.line.free))
	l.line.free, l.stats.Busy = l.line.free.Add(-saved), l.stats.Busy-saved
}

// reschedule has each frame of the lane arrive at another time.
func (n *lane) reschedule(arrives func(due units.Time) units.Time) {
	for i := range n.dues.len() {
		d := n.dues.nth(i)
		*d = arrives(*d)
	}
}

// scaled is what takes d at a rate takes at another; an unlimited one takes no time. It is no more than
// [units.Never].
func scaled(d units.Duration, from, to units.Rate) units.Duration {
	if to == 0 || d <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), uint64(from))
	if hi >= uint64(to) {
		return units.Duration(units.Never) / 2
	}
	q, _ := bits.Div64(hi, lo, uint64(to))
	return units.Duration(min(q, uint64(units.Never)/2))
}
