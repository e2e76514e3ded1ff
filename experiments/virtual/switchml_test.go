package virtual

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
)

// The cheap ones among the figures, cut as a quick run cuts them: they measure
// all that they list, and the verdicts are those that the ledger expects.
func TestSwitchMLFigures(t *testing.T) {
	list := []experiment.Experiment{singlePipeline(), halfPrecision(), trioPacketSizes(), table1()}
	if !testing.Short() {
		list = append(list, ateSize(), table2()) // many times slower under the race detector
	}
	for _, x := range list {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}

// No claim has two experiments, and all ids are of the ledger.
func TestSwitchMLFiguresAreOfTheLedger(t *testing.T) {
	l := experimenttest.Ledger(t)
	var seen []claims.ID
	for _, x := range All() {
		for _, id := range x.Claims {
			if _, err := l.Lookup(id); err != nil || slices.Contains(seen, id) {
				t.Errorf("%s: %s is measured twice or unknown: %v", x.ID, id, err)
			}
			seen = append(seen, id)
		}
		for _, id := range x.Predicts {
			if !slices.ContainsFunc(l.Unseen, func(w *claims.Unseen) bool { return w.ID == id }) {
				t.Errorf("%s predicts %s, which is no unseen value", x.ID, id)
			}
		}
	}
}

func TestLineThroughTwoCalls(t *testing.T) {
	small, large := call{mib: 1}, call{mib: 3}
	l := lineThrough(&small, &large, 12*units.Microsecond, 32*units.Microsecond)
	if got := l.cost(2 * units.MiB); got != 22*units.Microsecond || l.fixed != 2*units.Microsecond {
		t.Errorf("2 MiB take %v, of which %v fixed; want 22us and 2us", got, l.fixed)
	}
}

// 8 us at 10 Gbit/s are 9.1 packets of 1100 bytes: the next power of two is 16.
func TestPoolFormula(t *testing.T) {
	for trip, want := range map[units.Duration]int{8 * units.Microsecond: 16, units.Nanosecond: 1} {
		if got := formula(trip, testbed.Gigabit10); got != want {
			t.Errorf("%v: pool of %d, want %d", trip, got, want)
		}
	}
}

func TestKnee(t *testing.T) {
	var points []pooled
	for i, us := range []units.Duration{400, 200, 102, 100, 101} {
		points = append(points, pooled{slots: 1 << i, call: call{mib: tensorMiB}, took: us * units.Microsecond})
	}
	if got := kneeOf(points); got != 2 {
		t.Errorf("the knee is at %d, want 2: 100/102 is more than 98%%", got)
	}
}

// A tail is whole buckets below half of the rate, at the end; the last bucket is
// cut by the end of the run.
func TestTail(t *testing.T) {
	s := sending{node: "h0"}
	for b, n := range []int{10, 10, 3, 9, 4, 2, 1} {
		for range n {
			s.Event(&trace.Event{Node: "h0", Kind: trace.ResultIn, At: units.Time(units.Duration(b) * bucket)})
		}
	}
	s.Event(&trace.Event{Node: "h1", Kind: trace.ResultIn})
	s.Event(&trace.Event{Node: "h0", Kind: trace.BlockSent})
	if s.rate() != 10 || s.tail(10) != 2 || s.tail(4) != 0 {
		t.Errorf("rate %d, tails of %d and %d; want 10, 2, 0", s.rate(), s.tail(10), s.tail(4))
	}
}

// A worker on DPDK hosts has a thread for each core of its link rate, and no more than
// share its pool evenly.
func TestThreadsOfDPDKHosts(t *testing.T) {
	e := experimenttest.NewEnv(t)
	for _, c := range []struct {
		slots   int
		rate    units.Rate
		threads int
	}{{0, testbed.Gigabit100, 8}, {1, testbed.Gigabit100, 1}, {12, testbed.Gigabit100, 6}, {128, testbed.Gigabit10, 1}} {
		got := call{sys: switchml.System{Elements: 256, Slots: c.slots}, rate: c.rate}.onDPDK(e)
		if sml := got.sys.(switchml.System); sml.Host.Threads != c.threads || got.host.Queues != c.threads {
			t.Errorf("pool of %d at %v: %d threads on %d cores, want %d", c.slots, c.rate, sml.Host.Threads, got.host.Queues, c.threads)
		}
	}
}
