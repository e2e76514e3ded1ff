package reference

import (
	"fmt"
	"math/bits"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// scanner is the N timer threads (§5): thread k fires at k*T/N past every
// multiple of T and visits its share of the records.
type scanner struct {
	beat
	threads []thread
	busy    []uint64 // a bit for each thread that has a record
	open    int
	tick    int64      // number of the next firing: thread tick mod N
	fires   units.Time // the instant of that
}

// TimerNote is what events of timer thread k of n say beside their block.
func TimerNote(k, n int) string { return fmt.Sprintf("thread %d of %d", k, n) }

// thread holds the records of one timer thread, the oldest first.
type thread struct{ first, last *record }

func newScanner(timeout units.Duration, threads int) scanner {
	return scanner{beat: beat{period: int64(timeout), n: int64(threads)}, threads: make([]thread, threads), busy: make([]uint64, (threads+63)/64)}
}

func (s *scanner) insert(r *record) {
	i := r.key.partition(len(s.threads))
	t := &s.threads[i]
	r.thread, r.older, r.newer = i, t.last, nil
	if t.last == nil {
		t.first = r
		s.busy[i/64] |= 1 << (i % 64)
	} else {
		t.last.newer = r
	}
	t.last = r
	s.open++
}

func (s *scanner) remove(r *record) {
	t := &s.threads[r.thread]
	if r.older == nil {
		t.first = r.newer
	} else {
		r.older.newer = r.newer
	}
	if r.newer == nil {
		t.last = r.older
	} else {
		r.newer.older = r.older
	}
	if t.first == nil {
		s.busy[r.thread/64] &^= 1 << (r.thread % 64)
	}
	s.open--
}

// records returns those of thread i, in a list of the caller's own: while he goes
// through it, they may be removed.
func (s *scanner) records(i int) (out []*record) {
	for r := s.threads[i].first; r != nil; r = r.newer {
		out = append(out, r)
	}
	return out
}

// nextBusy returns the first thread from i on, in a circle, that has a record;
// there must be one.
func (s *scanner) nextBusy(i int) int {
	word := i / 64
	if rest := s.busy[word] >> (i % 64); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	for {
		if word++; word == len(s.busy) {
			word = 0
		}
		if s.busy[word] != 0 {
			return word*64 + bits.TrailingZeros64(s.busy[word])
		}
	}
}

// next returns the instant of the next firing that has a record to visit.
func (s *scanner) next() units.Time {
	if s.open == 0 {
		return units.Never
	}
	n := int64(len(s.threads))
	now := int(s.tick % n)
	ahead := int64(s.nextBusy(now) - now)
	if ahead < 0 {
		ahead += n
	}
	return s.at(s.tick + ahead)
}

// NextDeadline returns when the next timer thread has a record to visit, or looks
// at stragglers.
func (p *Program) NextDeadline() units.Time {
	if p.cfg.NoAging {
		return p.looks.next()
	}
	return min(p.scan.next(), p.looks.next())
}

// Expire runs the timer threads that are due. A driver that is late by more
// than a period gets one visit of each record, not several at one instant: a
// hardware timer would not have fired twice without time for packets between.
func (p *Program) Expire(now units.Time, eff *sansio.Effects) {
	p.expire(now, eff)
	if p.looks != nil {
		p.look(now, eff)
	}
}

// expire runs those that age blocks.
func (p *Program) expire(now units.Time, eff *sansio.Effects) {
	s := &p.scan
	if p.cfg.NoAging || now < s.fires {
		return
	}
	n := int64(len(s.threads))
	end := s.firstAfter(now)
	for s.tick = max(s.tick, end-n); s.tick < end && s.open > 0; s.tick++ {
		p.visit(now, int(s.tick%n), eff)
	}
	s.tick, s.fires = end, s.at(end)
}

// visit is one firing of timer thread i: what was not referenced since its last
// visit is sent as it is, the rest loses its flag.
func (p *Program) visit(now units.Time, i int, eff *sansio.Effects) {
	for _, r := range p.scan.records(i) {
		switch {
		case p.table[r.key.word()] != r: // sent since, with another
			continue
		case r.ref && p.cfg.Age == AgeAbsent && r.complete(): // it waits for absent sources only
			p.finish(now, r, eff)
			continue
		case r.ref:
			r.ref = false
			p.event(now, trace.Scanned, r, r.job.OutSource)
			continue
		}
		r.aged, r.degraded = true, true
		p.count.Add(CountAged, 1)
		r.job.count.Aged++
		p.event(now, trace.BlockAged, r, r.job.OutSource)
		r.job.conduct.missed = r.job.conduct.missed.Or(r.job.mask.Without(r.rcvd))
		p.giveUp(r)
		p.finish(now, r, eff)
	}
}
