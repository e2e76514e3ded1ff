package trio

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// runs is an observer that counts a timer's threads at work in each part, from the
// first record that one comes by to its end, and notes those that met another.
type runs struct {
	record
	at      map[uint64]uint32 // run at work, by part
	started []uint32          // runs of part 0
	met     int
}

func (r *runs) Scanned(_ units.Time, t *vm.Thread, _ mem.Scanned) {
	w := t.Register(0)
	part, run := w>>48, uint32(w)
	if other, busy := r.at[part]; busy && other != run {
		r.met++
	}
	if part == 0 && !slices.Contains(r.started, run) {
		r.started = append(r.started, run)
	}
	r.at[part] = run
}

func (r *runs) Ended(_ units.Time, t *vm.Thread, f Fate) {
	if f == TimerRun {
		delete(r.at, t.Register(0)>>48)
	}
}

// slow scans the table and executes 200 instructions for each record.
const slow = `
register scan_reply_t scan;
register timer_work_t t_work @ WORK_REGISTER;
register hash_reply_t found;
register u32 n;
packet entry start;
timer scan entry next;
start: begin found = HashInsert(pair(1, pkt->body.count)); exit; end
next: begin scan = HashScan(t_work.part, t_work.parts, scan.cursor); n = 199; end
begin if (!scan.found) exit; end
spin: begin const : was = n; n = n - 1; if (was > 1) goto spin; end
begin if (scan.last) exit; goto next; end
`

// While a thread of a part is at work no second one is started: the start is lost, and
// counted. The next one after its end is not.
func TestPartsHaveOneThread(t *testing.T) {
	r := &runs{at: map[uint64]uint32{}}
	b := newBench(t, Config{
		Program: compile(t, "slow", slow), Timing: timed(), Observer: r,
		Timers: []Timer{{Name: "scan", Period: 100 * units.Microsecond, Threads: 2, ScansOnly: true}},
	})
	for i := range uint16(64) {
		b.handle(train(1, payload(0, 0, i, 0)))
	}
	b.at(2 * ms)
	starts := b.p.Snapshot().Timers[0].Runs
	lost := b.count(DropTimer)
	if r.met > 0 || len(r.started) < 2 {
		t.Errorf("%d times two threads of a part are at work; runs %v of part 0", r.met, r.started)
	}
	// A part of 32 records of 4 us takes more than a period, and less than two.
	if lost < 15 || lost > 20 || starts+lost < 39 || starts+lost > 41 || b.count(CountRuns) != starts {
		t.Errorf("%d starts and %d lost, of 40", starts, lost)
	}
}

// A timer's thread may execute so many instructions for each record, and so comes to
// the end of any table; its count is of all of them.
func TestInstructionsOfEachRecord(t *testing.T) {
	const records, limit = 50, 250
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{
			Program: compile(t, "slow", slow), Timing: timing, Instructions: limit,
			Timers: []Timer{{Name: "scan", Period: 10 * units.Millisecond, ScansOnly: true}},
		})
		b.at(ms)
		for i := range uint16(records) {
			b.handle(train(1, payload(0, 0, i, 0)))
		}
		b.at(19 * ms)
		s := b.p.Snapshot()
		if got := s.Timers[0].TimerCounts; got != (TimerCounts{Runs: 1, Records: records, Referenced: records}) {
			t.Errorf("%+v, want one run that comes by %d records", got, records)
		}
		b.wantCount("pfe-instruction-limit", 0)
		if want := uint64(202 * records); s.Most != want {
			t.Errorf("a thread has executed %d instructions, want %d", s.Most, want)
		}
	})
}

// stay scans from the first record on, for ever.
const stay = `
register scan_reply_t scan;
register timer_work_t t_work @ WORK_REGISTER;
register hash_reply_t found;
packet entry start;
timer scan entry again;
start: begin found = HashInsert(pair(1, pkt->body.count)); exit; end
again: begin scan = HashScan(t_work.part, t_work.parts, 0); goto again; end
`

// A thread that comes to the same record again and again is stopped.
func TestNoScanIsEndless(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{
			Program: compile(t, "stay", stay), Timing: timing, Instructions: 1000,
			Timers: []Timer{{Name: "scan", Period: 10 * units.Millisecond, ScansOnly: true}},
		})
		b.at(ms)
		b.handle(train(1, payload(0, 0, 1, 0)))
		b.at(19 * ms)
		b.wantCount("pfe-instruction-limit", 1)
		if n := b.p.Snapshot().Most; n != 1001 {
			t.Errorf("the thread has executed %d instructions, want 1000 from its record on", n)
		}
	})
}
