package reference

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// slow are times that tell visits and results apart: 1.2 ms for a result of two gradients.
var slow = ScanTime{Visit: 10 * units.Microsecond, Result: units.Millisecond, PerGradient: 100 * units.Microsecond}

// timedBench has two sources and one timer thread of 10 ms.
func timedBench(t rapid.TB, s ScanTime, late trioml.LatePolicy) *bench {
	cfg := trioml.Config{Timeout: 10 * units.Millisecond, Threads: 1, Late: late, Jobs: []trioml.Job{testJob(2)}}
	b := newBench(t, cfg)
	cfg.Trace, cfg.Node = b, "pfe"
	p, err := NewTimed(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	b.p = p
	return b
}

// open sends source 0's packets of so many blocks at 1 ms.
func (b *bench) open(blocks uint32) {
	b.now = ms
	for block := range blocks {
		b.send(packet(wire.Header{Block: block, Source: 0}, 5, 7))
	}
}

// A thread comes to its records one after the other: results leave so much apart.
func TestResultsTakeTheirThreadTime(t *testing.T) {
	b := timedBench(t, slow, "")
	b.open(3)
	out := b.advance(40 * ms)
	var at []units.Time
	for _, o := range out {
		at = append(at, o.at)
		if !o.h.Degraded || o.h.SrcCnt != 1 {
			t.Errorf("result %+v", o.h)
		}
	}
	if want := []units.Time{20*ms + 1200*us, 20*ms + 2400*us, 20*ms + 3600*us}; !slices.Equal(at, want) {
		t.Errorf("results leave at %v, want %v", at, want)
	}
	if b.p.OpenBlocks() != 0 || b.p.Remembers() || b.p.NextDeadline() != units.Never {
		t.Errorf("%d blocks are left, remembers %v, next deadline %v", b.p.OpenBlocks(), b.p.Remembers(), b.p.NextDeadline())
	}
}

// A visit takes time too: a record that is referenced before the thread comes to it is
// young then, though it was not when the timer fired.
func TestVisitsTakeTime(t *testing.T) {
	b := timedBench(t, ScanTime{Visit: units.Millisecond, Result: 3 * units.Millisecond}, "")
	b.open(2)
	b.advance(20*ms + 2*ms)                                // block 0 is built until 23 ms
	b.send(packet(wire.Header{Block: 1, Source: 0}, 5, 7)) // a duplicate that references block 1
	out := b.advance(60 * ms)
	if len(out) != 2 || out[0].at != 23*ms || out[1].at != 33*ms {
		t.Errorf("results %+v, want at 23 and at 33 ms", out)
	}
}

// While its result is built, a block takes no packet; the packet finds it done.
func TestPacketsWaitForABlockThatIsBuilt(t *testing.T) {
	for late, want := range map[trioml.LatePolicy]struct {
		dropped uint64
		open    int
	}{trioml.LateTombstone: {1, 0}, trioml.LateNaive: {0, 1}} {
		b := timedBench(t, slow, late)
		b.open(1)
		b.advance(20*ms + 500*us)
		if got := b.send(packet(wire.Header{Block: 0, Source: 1}, 1, 1)); len(got) != 0 {
			t.Errorf("%s: %d results while it is built", late, len(got))
		}
		if !b.p.Remembers() {
			t.Errorf("%s: nothing is remembered of a thread at work", late)
		}
		out := b.advance(21200 * us)
		if len(out) != 1 || out[0].h.SrcCnt != 1 || !slices.Equal(out[0].grads, []int32{5, 7}) {
			t.Errorf("%s: results %+v", late, out)
		}
		var dropped uint64
		for _, c := range b.p.Counters() {
			if c.Name == trioml.DropLateBlock {
				dropped = c.N
			}
		}
		if dropped != want.dropped || b.p.OpenBlocks() != want.open {
			t.Errorf("%s: %d dropped and %d open afterwards", late, dropped, b.p.OpenBlocks())
		}
	}
}

// A thread that is still at work is not started again, and does all its work.
func TestLongScansLoseRuns(t *testing.T) {
	b := timedBench(t, ScanTime{Result: 6 * units.Millisecond}, "")
	b.open(3)
	out := b.advance(100 * ms)
	if len(out) != 3 || out[2].at != 38*ms {
		t.Errorf("results %+v, want the last at 38 ms", out)
	}
	i := slices.IndexFunc(b.p.Counters(), func(c sansio.Count) bool { return c.Name == CountLostRun })
	if i < 0 || b.p.Counters()[i].N != 1 {
		t.Errorf("the run at 30 ms should be lost: %v", b.p.Counters())
	}
}

// A job that goes while a thread builds a result of it leaves nothing behind, and its
// packets are of no job.
func TestRemovedWhileBuilt(t *testing.T) {
	b := timedBench(t, slow, "")
	b.open(2)
	b.advance(20*ms + 500*us)
	b.send(packet(wire.Header{Block: 0, Source: 1}, 1, 1))
	if _, err := b.p.RemoveJob(b.now, 1); err != nil {
		t.Fatal(err)
	}
	if out := b.advance(60 * ms); len(out) != 0 || b.p.OpenBlocks() != 0 || b.p.Remembers() {
		t.Errorf("results %+v, %d open", out, b.p.OpenBlocks())
	}
	i := slices.IndexFunc(b.p.Counters(), func(c sansio.Count) bool { return c.Name == trioml.DropUnknownJob })
	if i < 0 || b.p.Counters()[i].N != 1 {
		t.Errorf("counters %v", b.p.Counters())
	}
}

// Times of zero are those of a program without time, and times below it are refused.
func TestScanTimesOfZero(t *testing.T) {
	b := timedBench(t, ScanTime{}, "")
	b.open(2)
	if out := b.advance(40 * ms); len(out) != 2 || out[1].at != 20*ms {
		t.Errorf("results %+v, want both at 20 ms", out)
	}
	if _, err := NewTimed(trioml.Config{}, ScanTime{Visit: -1}); err == nil || !strings.Contains(err.Error(), "no time is below zero") {
		t.Errorf("a visit of less than no time: %v", err)
	}
}

// However long threads take, each block has one result, and every packet is in it or dropped.
func TestTimedScansConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := func(most int, name string) units.Duration {
			return units.Duration(rapid.IntRange(0, most).Draw(t, name)) * units.Microsecond
		}
		b := timedBench(t, ScanTime{Visit: us(2000, "visit"), Result: us(9000, "result"), PerGradient: us(500, "gradient")}, trioml.LateTombstone)
		const blocks = 6
		sent := 0
		for range rapid.IntRange(1, 30).Draw(t, "packets") {
			b.advance(b.now.Add(us(8000, "gap")))
			b.send(packet(wire.Header{Block: uint32(rapid.IntRange(0, blocks-1).Draw(t, "block")), Source: uint8(rapid.IntRange(0, 1).Draw(t, "source"))}, 1, 1))
			sent++
		}
		b.advance(b.now.Add(units.Second))
		seen := map[uint32]bool{}
		added := 0
		for _, o := range b.out {
			if seen[o.h.Block] {
				t.Fatalf("block %d has two results", o.h.Block)
			}
			seen[o.h.Block] = true
			added += int(o.grads[0])
		}
		dropped := 0
		for _, c := range b.p.Counters() {
			if c.Name == trioml.DropLateBlock || c.Name == trioml.DropDuplicate {
				dropped += int(c.N)
			}
		}
		if added+dropped != sent || b.p.OpenBlocks() != 0 {
			t.Fatalf("%d packets, of which %d are in results and %d dropped; %d blocks are open", sent, added, dropped, b.p.OpenBlocks())
		}
	})
}
