package trio

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// record is an observer that takes down when threads ended.
type record struct {
	ends  []string
	scans []scan
	sends int
	drops []string
}

// scan is a record that a timer's thread came by, and its part of the table.
type scan struct {
	record mem.Addr
	part   uint64
	ref    bool
}

func (r *record) Sent(units.Time, *vm.Thread, bool) { r.sends++ }
func (r *record) Discarded(_ units.Time, _ *vm.Thread, reason string) {
	r.drops = append(r.drops, reason)
}
func (r *record) Scanned(_ units.Time, t *vm.Thread, s mem.Scanned) {
	r.scans = append(r.scans, scan{s.Record, t.Register(0) >> 48, s.Ref})
}
func (r *record) Ended(now units.Time, t *vm.Thread, f Fate) {
	w := t.Register(0)
	r.ends = append(r.ends, fmt.Sprintf("%v %v %d/%d run %d", now, f, w>>48, w>>32&0xffff, uint32(w)))
}

const ticking = `
packet entry start;
timer tick entry fire;
start: begin Drop(1); exit; end
fire: begin exit; end
`

// Thread k of N starts k*T/N after every multiple of T (trio §5).
func TestTimerThreadsAreSpaced(t *testing.T) {
	r := &record{}
	b := newBench(t, Config{
		Program: compile(t, "ticking", ticking), Observer: r,
		Timing: timed(func(t *Timing) { t.Dispatch, t.Instruction = 0, 1 }),
		Timers: []Timer{{Name: "tick", Period: 10 * units.Millisecond, Threads: 4}},
	})
	b.at(14 * ms)
	want := []string{
		"1ns timer 0/4 run 0", "2.5ms timer 1/4 run 0", "5ms timer 2/4 run 0", "7.5ms timer 3/4 run 0",
		"10ms timer 0/4 run 1", "12.5ms timer 1/4 run 1",
	}
	if diff := cmp.Diff(want, r.ends); diff != "" {
		t.Errorf("ends of threads (-want +got):\n%s", diff)
	}
	b.wantCount(CountRuns, 6)
	if !b.p.PhaseMattered() || b.p.PhaseMattered() {
		t.Error("a timer has run: its phase mattered once")
	}
}

// A late live driver gets one run of each part, whatever it has missed.
func TestLateDriverRunsEveryPartOnce(t *testing.T) {
	r := &record{}
	b := newBench(t, Config{
		Program: compile(t, "ticking", ticking), Observer: r,
		Timers: []Timer{{Name: "tick", Period: 10 * units.Millisecond, Threads: 2}},
	})
	b.p.Expire(0, &b.eff)
	b.p.Expire(96*ms, &b.eff)
	want := []string{"0s timer 0/2 run 0", "96ms timer 0/2 run 9", "96ms timer 1/2 run 9"}
	if diff := cmp.Diff(want, r.ends); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if d := b.p.NextDeadline(); d != 100*ms {
		t.Errorf("next run at %v, want 100ms", d)
	}
}

const scanning = `
counter RUNS;
counter AGED;
register scan_reply_t scan;
register timer_work_t t_work @ WORK_REGISTER;
register hash_reply_t found;
packet entry start;
timer scan entry fire;
start: begin found = HashInsert(pair(1, pkt->body.count)); end
begin if (pkt->body.kind == 1) goto remove; exit; end
remove: begin HashDelete(pair(1, pkt->body.count)); exit; end
fire: begin CounterIncPhys(RUNS, 0); end
next: begin scan = HashScan(t_work.part, t_work.parts, scan.cursor); end
begin if (!scan.found) exit; end
begin if (scan.ref) goto more; CounterIncPhys(AGED, 0); end
more: begin if (scan.last) exit; goto next; end
`

// Starts that would find nothing are left out, and nothing else changes: records
// are found unreferenced at the same time.
func TestEmptyPartsAreLeftOut(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		run := func(skip bool) *bench {
			b := newBench(t, Config{
				Program: compile(t, "scanning", scanning), Timing: timing,
				Timers: []Timer{{Name: "scan", Period: 10 * units.Millisecond, Threads: 50, ScansOnly: skip}},
			})
			if skip && b.p.NextDeadline() != units.Never {
				t.Error("an empty table has a deadline")
			}
			b.at(73 * ms).handle(train(1, payload(0, 0, 3, 0))).at(93500 * us)
			b.handle(train(1, payload(1, 0, 3, 0))).at(199900 * us)
			return b
		}
		all, few := run(false), run(true)
		if a, f := all.count("scanning-aged"), few.count("scanning-aged"); a != f || a == 0 {
			t.Errorf("records were aged %d times with all starts, %d times with few", a, f)
		}
		if n := few.count("scanning-runs"); n == 0 || n > 3 {
			t.Errorf("%d runs, want 2 or 3: the part of one record for 20ms", n)
		}
		all.wantCount(CountRuns, 1000)
		if !few.p.PhaseMattered() || few.p.PhaseMattered() {
			t.Error("a record lived for longer than a period: the phase mattered, once")
		}
	})
}

// The observer is told of every record that a timer's thread comes by, and the
// counts of the timer are of the same.
func TestScansAreObserved(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		r := &record{}
		b := newBench(t, Config{
			Program: compile(t, "scanning", scanning), Timing: timing, Observer: r,
			Timers: []Timer{{Name: "scan", Period: 10 * units.Millisecond, Threads: 4, ScansOnly: true}},
		})
		b.at(ms).handle(train(1, payload(0, 0, 3, 0))).at(24 * ms)
		refs := 0
		for i, s := range r.scans {
			if s.record != r.scans[0].record || s.part != r.scans[0].part || s.ref != (i == 0) {
				t.Errorf("scan %d is %+v after %+v", i, s, r.scans[0])
			}
			if s.ref {
				refs++
			}
		}
		want := TimerCounts{Runs: uint64(len(r.scans)), Records: uint64(len(r.scans)), Referenced: 1}
		if got := b.p.Snapshot().Timers[0].TimerCounts; got != want || refs != 1 || len(r.scans) < 2 {
			t.Errorf("counts %+v, want %+v, of 2 or 3 scans", got, want)
		}
	})
}
