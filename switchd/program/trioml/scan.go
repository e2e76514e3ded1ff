package trioml

import (
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// scanner is the N timer threads (§5): thread k fires at k*T/N past every
// multiple of T and visits its share of the records.
type scanner struct {
	timeout units.Duration
	parts   [][]*record // records of each thread, oldest first
	open    int
	tick    int64 // number of the next firing: thread tick mod N
}

func newScanner(timeout units.Duration, threads int) scanner {
	return scanner{timeout: timeout, parts: make([][]*record, threads)}
}

// at returns the instant of a firing; it is exact at every multiple of T.
func (s *scanner) at(tick int64) units.Time {
	n := int64(len(s.parts))
	return units.Time(int64(s.timeout)*(tick/n) + int64(s.timeout)*(tick%n)/n)
}

func (s *scanner) insert(r *record) {
	i := r.key.partition(len(s.parts))
	s.parts[i] = append(s.parts[i], r)
	s.open++
}

func (s *scanner) remove(r *record) {
	i := r.key.partition(len(s.parts))
	at := slices.Index(s.parts[i], r)
	s.parts[i] = slices.Delete(s.parts[i], at, at+1)
	s.open--
}

// firstAfter returns the first firing that is later than now.
func (s *scanner) firstAfter(now units.Time) int64 {
	n, period := int64(len(s.parts)), int64(s.timeout)
	tick := int64(now)/period*n + int64(now)%period*n/period
	for s.at(tick) <= now {
		tick++
	}
	return tick
}

// next returns the instant of the next firing that has a record to visit.
func (s *scanner) next() units.Time {
	if s.open == 0 {
		return units.Never
	}
	n := int64(len(s.parts))
	for t := s.tick; ; t++ {
		if len(s.parts[t%n]) > 0 {
			return s.at(t)
		}
	}
}

// NextDeadline returns when the next timer thread has a record to visit.
func (p *Program) NextDeadline() units.Time {
	if p.cfg.NoAging {
		return units.Never
	}
	return p.scan.next()
}

// Expire runs the timer threads that are due. A driver that is late by more
// than a period gets one visit of each record, not several at one instant: a
// hardware timer would not have fired twice without time for packets between.
func (p *Program) Expire(now units.Time, eff *sansio.Effects) {
	if p.cfg.NoAging {
		return
	}
	s := &p.scan
	n := int64(len(s.parts))
	end := s.firstAfter(now)
	for s.tick = max(s.tick, end-n); s.tick < end && s.open > 0; s.tick++ {
		p.visit(now, int(s.tick%n), eff)
	}
	s.tick = end
}

// visit is one firing of timer thread i: what was not referenced since its last
// visit is sent as it is, the rest loses its flag.
func (p *Program) visit(now units.Time, i int, eff *sansio.Effects) {
	for _, r := range slices.Clone(p.scan.parts[i]) {
		switch {
		case p.table[r.key] != r: // sent since, with another
			continue
		case r.ref:
			r.ref = false
			p.event(now, trace.Scanned, r, r.job.OutSource)
			continue
		}
		r.aged, r.degraded = true, true
		p.count.Add(CountAged, 1)
		p.event(now, trace.BlockAged, r, r.job.OutSource)
		p.giveUp(now, r, eff)
		p.finish(now, r, eff)
	}
}
