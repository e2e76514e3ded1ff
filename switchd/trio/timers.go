package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// timers start threads periodically (trio §5): of N threads of a timer of period
// T, thread k at k*T/N past every multiple of T, with part k of N of the hash
// table as its own. They are dispatched as packets are; no PPE is reserved.
//
// A start is left out if its part is empty (Timer.ScansOnly). That changes no outcome:
// the thread would have read the table and found nothing. Only a packet that arrives when
// all other threads are in use can notice that this one is free.
type timers struct {
	list []timer
}

type timer struct {
	Timer
	TimerCounts
	entry int
	tick  int64      // number of the next start: thread tick mod N
	at    units.Time // when that is
	cache startCache
	busy  []bool // by part: its thread waits or is at work; timed mode
}

// TimerCounts is what the threads of a timer have done. Starts that were left out
// or lost are not among the runs.
type TimerCounts struct {
	Runs       uint64 `json:"runs"`       // starts of threads
	Records    uint64 `json:"records"`    // of the hash table that they came by
	Referenced uint64 `json:"referenced"` // of these, with a REF flag to clear
}

// scanned notes what a thread has found in the hash table.
func (p *PFE) scanned(t *thread, s mem.Scanned) {
	if t.work.ofTimer() {
		t.grant(s.Next)
		n := &p.timers.list[t.work.timer].TimerCounts
		n.Records++
		if s.Ref {
			n.Referenced++
		}
	}
	if p.cfg.Observer != nil {
		p.cfg.Observer.Scanned(p.now, &t.Thread, s)
	}
}

// grant gives a timer's thread that has come to a further record all its instructions
// anew, since its work grows with the number of records. A thread that makes no progress,
// or begins again, is granted none, so that no loop is endless.
func (t *thread) grant(next uint32) {
	if next > t.scanned {
		t.scanned = next
		t.earlier, t.Executed = t.earlier+t.Executed, 0
	}
}

// busy tells whether the thread of a part waits or is at work.
func (ts *timers) busy(w work) *bool { return &ts.list[w.timer].busy[w.part] }

// countRun counts a start.
func (p *PFE) countRun(w work) {
	p.timers.list[w.timer].Runs++
	p.count.Add(CountRuns, 1)
}

// startCache is the next start that is not left out, for as long as the table is as it
// was; a driver asks for it after every call.
type startCache struct {
	changes uint64
	records int
	tick    int64
	next    units.Time
}

func newTimers(cfg *Config) (out timers) {
	for _, t := range cfg.Timers {
		entry, _ := cfg.Program.TimerEntry(t.Name)
		out.list = append(out.list, timer{Timer: t, entry: entry, busy: make([]bool, t.Threads)})
	}
	return out
}

// time returns the instant of a start; it is exact at every multiple of the
// period.
func (t *timer) time(tick int64) units.Time {
	n := int64(t.Threads)
	return units.Time(int64(t.Period)*(tick/n) + int64(t.Period)*(tick%n)/n)
}

func (t *timer) set(tick int64) { t.tick, t.at = tick, t.time(tick) }

// firstAfter returns the first start that is later than now.
func (t *timer) firstAfter(now units.Time) int64 {
	n, period := int64(t.Threads), int64(t.Period)
	tick := int64(now)/period*n + int64(now)%period*n/period
	for t.time(tick) <= now {
		tick++
	}
	return tick
}

// due takes the earliest start up to a time. A caller that is late, as a live one
// may be, gets one start of each thread at most, not several at one instant:
// hardware would not have started one twice without time for packets between.
func (ts *timers) due(p *PFE, limit units.Time, late bool) (work, bool) {
	for {
		t, i := ts.first()
		if t == nil || t.at > limit {
			return work{}, false
		}
		if late && limit.Sub(t.at) >= t.Period {
			t.set(max(t.tick, t.firstAfter(limit)-int64(t.Threads)))
		}
		n := int64(t.Threads)
		w := work{owner: p, timer: i, part: int(t.tick % n), run: uint32(t.tick / n), since: t.at, ready: t.at}
		switch {
		case !t.ScansOnly || p.records() > 0 && p.occupied(w.part, t.Threads):
			t.set(t.tick + 1)
			p.phase.mattered = p.phase.mattered || !t.ScansOnly
			return w, true
		case p.records() == 0:
			t.set(t.firstAfter(limit))
		default:
			t.set(t.tick + 1)
		}
	}
}

// dueTimer takes the earliest start up to a time of all programs of a machine, of which p is
// one.
func (m *machine) dueTimer(p *PFE, limit units.Time) (work, bool) {
	if len(m.members) == 1 {
		return p.timers.due(p, limit, false)
	}
	var first *PFE
	next := units.Never
	for _, member := range m.members {
		if at := member.timers.next(member); at <= limit && at < next {
			first, next = member, at
		}
	}
	if first == nil {
		return work{}, false
	}
	return first.timers.due(first, limit, false)
}

// first returns the timer whose start is the earliest, nil if there is none.
func (ts *timers) first() (first *timer, index int) {
	for i := range ts.list {
		if t := &ts.list[i]; first == nil || t.at < first.at {
			first, index = t, i
		}
	}
	return first, index
}

// next returns when the next thread is started.
func (ts *timers) next(p *PFE) units.Time {
	next := units.Never
	for i := range ts.list {
		t := &ts.list[i]
		if t.at < next {
			next = min(next, t.next(p))
		}
	}
	return next
}

// next returns the next start that is not left out.
func (t *timer) next(p *PFE) units.Time {
	if !t.ScansOnly {
		return t.at
	}
	if p.records() == 0 {
		return units.Never
	}
	now := startCache{changes: p.changes, records: p.records(), tick: t.tick}
	if now.next = t.cache.next; now != t.cache {
		now.next = t.search(p)
		t.cache = now
	}
	return now.next
}

// search finds the next start whose part has a record.
func (t *timer) search(p *PFE) units.Time {
	for i := range int64(t.Threads) {
		if p.occupied(int((t.tick+i)%int64(t.Threads)), t.Threads) {
			return t.time(t.tick + i)
		}
	}
	return units.Never
}
