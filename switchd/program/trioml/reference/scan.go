package reference

import (
	"math/bits"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// timer says when N timer threads of a period T fire (trio §5): thread k at k*T/N past
// every multiple of T. Firings are numbered; number i is of thread i modulo N.
type timer struct{ period, n int64 } // ps; N

// at returns the instant of a firing; it is exact at every multiple of T.
func (t *timer) at(firing int64) units.Time {
	return units.Time(t.period*(firing/t.n) + t.period*(firing%t.n)/t.n)
}

// firstAfter returns the first firing that is later than now.
func (t *timer) firstAfter(now units.Time) int64 {
	firing := int64(now)/t.period*t.n + int64(now)%t.period*t.n/t.period
	for t.at(firing) <= now {
		firing++
	}
	return firing
}

// scanner is the N timer threads (§5); each visits its share of the records.
type scanner struct {
	timer
	threads []thread
	busy    []uint64 // a bit for each thread that has a record
	open    int
	firing  int64      // number of the next one: thread firing mod N
	due     units.Time // the instant of that
}

// thread holds the records of one timer thread, the oldest first.
type thread struct{ first, last *record }

func newScanner(timeout units.Duration, threads int) scanner {
	return scanner{timer: timer{period: int64(timeout), n: int64(threads)}, threads: make([]thread, threads), busy: make([]uint64, (threads+63)/64)}
}

func (s *scanner) insert(r *record) {
	i := r.key().partition(len(s.threads))
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

// records returns those of thread i, in a list of the caller's own: records may be
// removed while the caller goes through it.
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
	now := int(s.firing % n)
	ahead := int64(s.nextBusy(now) - now)
	if ahead < 0 {
		ahead += n
	}
	return s.at(s.firing + ahead)
}

// retime has the threads fire in another period from now on. The first visit of each is a
// whole period away at the least, so that no two visits are closer than the period says.
func (s *scanner) retime(now units.Time, period units.Duration) {
	s.period = int64(period)
	s.firing = s.firstAfter(now) + s.n
	s.due = s.at(s.firing)
}

// NextDeadline returns when the next timer thread has a record to visit, or classifies
// stragglers.
func (p *Program) NextDeadline() units.Time {
	if p.cfg.NoAging {
		return p.classifier.next()
	}
	return min(p.scan.next(), p.timed.next(), p.classifier.next())
}

// Expire runs the timer threads that are due. A driver that is late by more
// than a period gets one visit of each record, not several at one instant: a
// hardware timer would not have fired twice without time for packets between.
func (p *Program) Expire(now units.Time, eff *sansio.Effects) {
	p.expire(now, eff)
	if p.classifier != nil {
		p.classify(now, eff)
	}
}

// expire runs those that age blocks.
func (p *Program) expire(now units.Time, eff *sansio.Effects) {
	for p.timed.next() <= now {
		p.step(eff)
	}
	p.fire(now, eff)
	for p.timed.next() <= now { // of those that have just been started
		p.step(eff)
	}
}

// fire starts the threads whose timers fire.
func (p *Program) fire(now units.Time, eff *sansio.Effects) {
	s := &p.scan
	if p.cfg.NoAging || now < s.due {
		return
	}
	n := int64(len(s.threads))
	end := s.firstAfter(now)
	for s.firing = max(s.firing, end-n); s.firing < end && s.open > 0; s.firing++ {
		p.visit(now, int(s.firing%n), eff)
	}
	s.firing, s.due = end, s.at(end)
}

// visit is one firing of timer thread i: what was not referenced for the timeout of its
// job is sent as it is, the rest loses its flag.
func (p *Program) visit(now units.Time, i int, eff *sansio.Effects) {
	if p.timed != nil {
		p.start(now, i)
		return
	}
	for _, r := range p.scan.records(i) {
		if p.records[r.key()] == r && p.ends(now, r) { // not sent since, with another
			p.finish(now, r, eff)
		}
	}
}

// ends is what a timer thread finds of a record: whether it is to be sent.
func (p *Program) ends(now units.Time, r *record) bool {
	if p.isYoung(r) {
		if p.cfg.Age == trioml.AgeAbsent && r.complete() { // it waits for absent sources only
			return true
		}
		p.event(now, trace.Scanned, r, r.job.OutSource)
		return false
	}
	r.AgeOp, r.Degraded = wire.AgeTimeout, true
	p.count.Add(trioml.CountAged, 1)
	r.job.Count.Aged++
	p.event(now, trace.BlockAged, r, r.job.OutSource)
	r.job.stragglers.missed = r.job.stragglers.missed.Or(r.job.Mask.Without(r.Received))
	p.markAbsent(r)
	return true
}

// isYoung notes a visit and reports whether the record waits on: it was referenced since the last
// one, or has time left.
func (p *Program) isYoung(r *record) bool {
	period := units.Duration(p.scan.period)
	switch {
	case r.Ref:
		r.Ref, r.Left = false, r.job.Timeout
	case r.Left > period:
		r.Left -= period
	default:
		return false
	}
	return true
}
