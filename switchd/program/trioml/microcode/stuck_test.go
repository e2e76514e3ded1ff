package microcode

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// What is counted of a block that a thread held which the machine has ended.
const (
	blockBusy   = "trioml-block-busy"
	blocksStuck = "trioml-blocks-stuck"
)

// patience is the most instructions of a thread that gives up: each look at a block
// takes three.
const patience = 3*4096 + 100

// holding is a PFE with blocks 0 and 1 of two sources, of which the first is in. A
// thread has left block 0 as bits of its count say.
func holding(t *testing.T, timing *trio.Timing, leave func(e *Engine, b uint32)) *loner {
	t.Helper()
	e, err := New(trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{testJob(1, 2)}}, Options{Memory: small(), Timing: timing})
	if err != nil {
		t.Fatal(err)
	}
	l := &loner{e: e}
	l.send(ms, 0, 0, 1)
	l.until(2 * ms)
	leave(e, 0)
	return l
}

// owned leaves a block with an owner that does not exist.
func owned(e *Engine, block uint32) {
	a, _ := e.Memory().Hash().Peek(key(1, block))
	e.Memory().FetchOr(a+countWord, bitOwned)
}

// pinned leaves a block with a thread in flight that does not exist.
func pinned(e *Engine, block uint32) {
	a, _ := e.Memory().Hash().Peek(key(1, block))
	e.Memory().FetchAdd32(a+countWord, 1, 1<<inFlightShift)
}

func (l *loner) count(name string) uint64 {
	for _, c := range l.e.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

// wants holds counters against what they have to be, and every thread to its
// patience.
func (l *loner) wants(t *testing.T, busy, stuck uint64) {
	t.Helper()
	if b, s := l.count(blockBusy), l.count(blocksStuck); b != busy || s != stuck {
		t.Errorf("%d packets found a busy block and %d threads gave a block up, want %d and %d: %v", b, s, busy, stuck, l.e.Counters())
	}
	if s := l.e.Snapshot(); s.Most > patience {
		t.Errorf("a thread has executed %d instructions", s.Most)
	}
}

// instantAndTimed runs a test in both modes.
func instantAndTimed(t *testing.T, f func(t *testing.T, timing *trio.Timing)) {
	timing := trio.DefaultTiming()
	t.Run("instant", func(t *testing.T) { f(t, nil) })
	t.Run("timed", func(t *testing.T) { f(t, &timing) })
}

// A block whose owner the machine has ended costs each of its packets some looks, and
// the packet; other blocks, the timers and the packets of the other generations go on.
func TestOwnerThatIsGone(t *testing.T) {
	instantAndTimed(t, func(t *testing.T, timing *trio.Timing) {
		l := holding(t, timing, owned)
		got := l.send(3*ms, 1, 0, 1)
		if got = append(got, l.until(30*ms)...); len(got) != 1 || got[0].Block != 1 || got[0].Degraded {
			t.Errorf("results %+v, want that of block 1", got)
		}
		l.wants(t, 1, 0)
		newer := wire.Header{Job: 1, Source: 0, SrcCnt: 1, Gen: 1}
		l.e.Handle(31*ms, []sansio.Arrival{arrival(packet(newer, 1))}, &l.eff)
		l.until(60 * ms)
		l.wants(t, 2, 0)
		if n := l.e.OpenBlocks(); n != 1 {
			t.Errorf("%d blocks are open, want the one that is held", n)
		}
	})
}

// A block with a thread in flight that the machine has ended has no result, for its
// sums may be half of a packet: who would send it gives up, a packet's thread or a
// timer's, which then visits the other records.
func TestInFlightForEver(t *testing.T) {
	instantAndTimed(t, func(t *testing.T, timing *trio.Timing) {
		l := holding(t, timing, pinned)
		got := l.send(3*ms, 1, 0, 1)
		if got = append(got, l.until(20*ms)...); len(got) != 1 || got[0].Block != 1 {
			t.Errorf("results %+v, want that of block 1", got)
		}
		l.wants(t, 1, 1)
		l.send(21*ms, 1, 0)
		l.until(60 * ms)
		l.wants(t, 2, 1)
	})
	instantAndTimed(t, func(t *testing.T, timing *trio.Timing) {
		l := holding(t, timing, pinned)
		if got := l.until(60 * ms); len(got) != 1 || got[0].Block != 1 || !got[0].Degraded {
			t.Errorf("results %+v, want that of block 1, aged", got)
		}
		l.wants(t, 0, 1)
	})
}

// The operator frees a block that is held by removing its job.
func TestHeldBlockGoesWithItsJob(t *testing.T) {
	instantAndTimed(t, func(t *testing.T, timing *trio.Timing) {
		for _, leave := range []func(*Engine, uint32){owned, pinned} {
			l := holding(t, timing, leave)
			l.until(40 * ms)
			if _, err := l.e.RemoveJob(40*ms, 1); err != nil {
				t.Fatal(err)
			}
			doc := testJob(1, 2)
			if _, err := l.e.AddJob(41*ms, &doc); err != nil {
				t.Fatal(err)
			}
			l.send(42*ms, 0, 0)
			if got := append(l.send(42*ms, 1, 0), l.until(50*ms)...); len(got) != 1 || got[0].Degraded {
				t.Errorf("results %+v of the new job's block 0", got)
			}
		}
	})
}

// One timer thread ages any number of the longest blocks: it may execute its
// instructions anew for each record.
func TestOneTimerThreadAgesAll(t *testing.T) {
	const blocks = 2000
	j := testJob(1, 2)
	j.BlockMax = blocks
	e, err := New(trioml.Config{Node: "pfe", Threads: 1, Jobs: []trioml.Job{j}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &loner{e: e}
	for b := range uint32(blocks) {
		h := make([]byte, wire.HeaderLen)
		wire.Header{Job: 1, Block: b, SrcCnt: 1, Grads: wire.MaxGrads}.Put(h)
		a := arrival(h)
		a.Train.Unstored = 4 * wire.MaxGrads
		e.Handle(ms, []sansio.Arrival{a}, &l.eff)
	}
	for at := 10 * ms; at <= 20*ms; at += units.Time(trioml.DefaultTimeout) {
		e.Expire(at, &l.eff)
	}
	if got := len(l.results()); got != blocks || e.OpenBlocks() != 0 || l.count("pfe-instruction-limit") != 0 {
		t.Errorf("%d results of %d blocks, %d are open: %v", got, blocks, e.OpenBlocks(), e.Counters())
	}
}
