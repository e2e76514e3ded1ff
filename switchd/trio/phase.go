package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// phase records whether the instants at which timers fire may have changed an outcome.
// They may if a record has lived for a period or longer: a timer's thread may have come
// to it in time or too late.
type phase struct {
	period    units.Duration // the shortest of all timers; 0: there is none
	start     mem.Addr       // of the first record
	createdAt []units.Time   // by slot; nil: there is no timer
	mattered  bool
}

func newPhase(cfg *Config, records mem.Range) (out phase) {
	out.period = shortestPeriod(cfg.Timers)
	if out.period > 0 {
		out.start = records.Start
		out.createdAt = make([]units.Time, int(records.End-records.Start)/(mem.RecordBytes/mem.WordBytes))
	}
	return out
}

// shortestPeriod is 0 where there is no timer.
func shortestPeriod(timers []Timer) (out units.Duration) {
	for _, t := range timers {
		if out == 0 || t.Period < out {
			out = t.Period
		}
	}
	return out
}

func (f *phase) watched() bool { return f.createdAt != nil }

func (f *phase) slot(a mem.Addr) int { return int(a-f.start) / (mem.RecordBytes / mem.WordBytes) }

func (f *phase) created(a mem.Addr, now units.Time) {
	if f.createdAt != nil {
		f.createdAt[f.slot(a)] = now
	}
}

func (f *phase) deleted(a mem.Addr, now units.Time) {
	f.mattered = f.mattered || now.Sub(f.createdAt[f.slot(a)]) >= f.period
}

// PhaseMattered reports whether what happened since the last call might have gone
// otherwise had the timers fired at other instants of their period: a record
// was removed that had lived for a period or longer, or a timer has run that does
// more than to scan records.
func (p *PFE) PhaseMattered() bool {
	mattered := p.phase.mattered
	p.phase.mattered = false
	return mattered
}
