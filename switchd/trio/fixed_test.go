package trio

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// fixed is the fixed cost of a packet in these tests.
const fixed = 25 * units.Microsecond

// costly returns a bench of 16 threads whose packets have that cost, or that of dispatch.
func costly(t *testing.T, queue int, change func(*Timing)) *bench {
	return newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed(change), PPEs: 16, Threads: 1, Queue: queue})
}

// burst is packets of different flows that each keep a thread for 2 us.
func burst(n int) (in []sansio.Arrival) {
	for i := range n {
		in = append(in, train(i, payload(0, 0, 50, 0)))
	}
	return in
}

// What a packet takes before it gets a thread shifts all that leaves, in its order, and
// changes nothing else: it holds no thread, and nobody waits for it.
func TestFixedCostOfAPacketShiftsAll(t *testing.T) {
	none := costly(t, 100, func(*Timing) {})
	some := costly(t, 100, func(t *Timing) { t.Packet = fixed })
	for _, b := range []*bench{none, some} {
		b.handle(burst(40)...)
		b.at(3*us).handle(train(41, payload(0, 0, 500, 0)), train(42, payload(0, 0, 1, 0)))
		b.idle()
	}
	want := none.take()
	for i := range want {
		want[i].at = want[i].at.Add(fixed)
	}
	if got := some.take(); !slices.Equal(got, want) {
		t.Errorf("with a fixed cost %v, want %v", frames(got), frames(want))
	}
	a, b := none.p.Snapshot(), some.p.Snapshot()
	if a.Wait.Sum != b.Wait.Sum || a.InUse.Max != b.InUse.Max || a.Queue.Max != b.Queue.Max {
		t.Errorf("waiting %v with %d threads and %d queued, without a fixed cost %v, %d and %d",
			b.Wait.Sum, b.InUse.Max, b.Queue.Max, a.Wait.Sum, a.InUse.Max, a.Queue.Max)
	}
	if d := b.Sent.Sum - a.Sent.Sum; d != fixed*units.Duration(b.Sent.N) {
		t.Errorf("%d packets were inside %v longer", b.Sent.N, d)
	}
}

// A dispatch that takes as long holds the threads, so that packets wait for them.
func TestFixedCostInAThreadHoldsIt(t *testing.T) {
	outside := costly(t, 100, func(t *Timing) { t.Packet = fixed }).handle(burst(32)...).idle()
	inside := costly(t, 100, func(t *Timing) { t.Dispatch = fixed }).handle(burst(32)...).idle()
	if a, b := outside.p.Snapshot().Wait.Max, inside.p.Snapshot().Wait.Max; a > fixed || b < fixed {
		t.Errorf("waiting for a thread: %v where the fixed cost is outside of it, %v where it is inside", a, b)
	}
}

// Packets on their way to a thread count as waiting for one, but for those that will find
// one: the queue never holds more than it may.
func TestPacketsOnTheirWayFillTheQueue(t *testing.T) {
	b := costly(t, 8, func(t *Timing) { t.Packet = fixed })
	b.handle(burst(30)...)
	b.wantCount(DropQueue, 6)
	if s := b.p.Snapshot(); s.InUse.Now != 0 || s.Queue.Now != 0 {
		t.Errorf("%d threads are in use and %d packets queued before the first is there", s.InUse.Now, s.Queue.Now)
	}
	if got := len(b.idle().take()); got != 24 {
		t.Errorf("%d packets left, want 24", got)
	}
	if s := b.p.Snapshot(); s.Queue.Max != 8 || s.PacketMemory != 0 || s.Flows != 0 {
		t.Errorf("at most %d queued; left behind: %v, %d flows", s.Queue.Max, s.PacketMemory, s.Flows)
	}
}

// Timers have no packet, and no such cost.
func TestTimersHaveNoFixedCost(t *testing.T) {
	b := newBench(t, Config{
		Program: compile(t, "tick", `counter TICKS; timer tick entry run; packet entry start; start: begin exit; end
run: begin CounterIncPhys(TICKS, 0); exit; end`),
		Timing: timed(func(t *Timing) { t.Packet = fixed }), Timers: []Timer{{Name: "tick", Period: 100 * units.Microsecond}},
	})
	b.at(150 * us)
	for _, w := range b.p.Snapshot().Work {
		if w.Fate == TimerRun.String() && w.Inside.Max > units.Microsecond {
			t.Errorf("a timer's thread took %v", w.Inside.Max)
		}
	}
	b.wantCount(CountRuns, 2) // at 0 and at 100 us
}
