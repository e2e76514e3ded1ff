package impair

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Set has the link have other parameters from now on, the time of the latest call or later, which
// nobody knew of before. What was decided of frames inside stays. Changes that were to come do not.
// Of cfg, parameters and random streams count: the streams take the place of those that there were.
func (l *Link) Set(now units.Time, cfg Config) error {
	cfg.Name, cfg.Out, cfg.With, cfg.Quantum, cfg.MaxInFlight, cfg.Changes = l.cfg.Name, l.cfg.Out, l.cfg.With, l.cfg.Quantum, l.cfg.MaxInFlight, nil
	if err := cfg.validate(); err != nil {
		return err
	}
	if now >= l.sending.next {
		l.changeLine(now)
	}
	l.coming = l.coming.at(now)
	begun := min(l.begun(l.coming), len(l.changes))
	l.changes = append(slices.Clone(l.changes[:begun]), Change{now, cfg.withDefaults()})
	l.busy = append(slices.Clone(l.busy[:begun]), 0)
	rest := l.changes[begun:]
	l.coming, l.sending = period{l.coming.Params, now, rest}, period{l.sending.Params, now, rest}
	cfg.Params, cfg.Changes = l.cfg.Params, l.cfg.Changes
	l.cfg = cfg // periods point to its parameters, which stay
	l.perfect = false
	return nil
}
