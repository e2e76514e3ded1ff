package impair

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Twenty frames come at once. Nineteen wait, and one less after each that the line sends: the
// mean is that of a staircase, whenever it is asked for.
func TestDepthOfAStep(t *testing.T) {
	link := newBench(t, Config{Params: Params{Rate: gigabit}})
	link.at(0, train(0, 20, 1000-headerLen))
	each := gigabit.TimeToSend(1000 + units.EthernetFraming)
	for _, slots := range []int{5, 20, 100} {
		sum := 0
		for i := range slots {
			sum += max(0, 19-i)
		}
		link.runTo(units.Time(0))
		got := link.link.Depth(0, units.Time(0).Add(units.Duration(slots)*each))
		if want := units.Bytes(1000 * sum / slots); got.Mean != want || got.Max != 19000 {
			t.Errorf("after %d frames: mean %d and most %d, want %d and 19000", slots, got.Mean, got.Max, want)
		}
	}
	if n := link.link.InFlight(); n != 20 {
		t.Errorf("asking for the depth left %d frames, want 20", n)
	}
}

// The record agrees with one that keeps every instant apart.
func TestDepthAgreesWithEveryInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		link := newBench(t, Config{Params: Params{Rate: gigabit}})
		var busy, now units.Time
		var comes, starts []units.Time
		each := gigabit.TimeToSend(1000 + units.EthernetFraming)
		for i := range rapid.IntRange(1, 60).Draw(t, "frames") {
			now = now.Add(units.Duration(rapid.IntRange(0, 12).Draw(t, "gap")) * us)
			link.at(now, frameOf(i, 1000))
			start := max(now, busy)
			busy = start.Add(each)
			comes, starts = append(comes, now), append(starts, start)
		}
		end := now.Add(units.Duration(rapid.IntRange(1, 500).Draw(t, "rest")) * us)
		var area, deeper, asDeep float64 // over p99; at the lower end of its step or over
		got := link.link.Depth(0, end)
		edges := append(slices.Concat(comes, starts), 0, end)
		slices.Sort(edges)
		for i, at := range edges[:len(edges)-1] {
			var waiting units.Bytes
			for k := range comes {
				if comes[k] <= at && at < starts[k] {
					waiting += 1000
				}
			}
			span := float64(max(0, min(end, edges[i+1])-at))
			area += float64(waiting) * span
			if waiting > got.P99 {
				deeper += span
			}
			if waiting >= lowest(step(got.P99)) {
				asDeep += span
			}
		}
		if want := area / float64(end); math.Abs(float64(got.Mean)-want) > 1 {
			t.Fatalf("mean %v, want %.2f", got.Mean, want)
		}
		if hundredth := float64(end) / 100; deeper > hundredth+1 || asDeep < hundredth-1 {
			t.Fatalf("99%% %d: exceeded for %.0f of %d, reached for %.0f", got.P99, deeper, end, asDeep)
		}
	})
}

// Every depth lies in its step, and steps are not wider than 1/16.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := units.Bytes(rapid.Int64Range(0, 1<<40-1).Draw(t, "bytes"))
		s := step(b)
		if lo, hi := lowest(s), lowest(s+1); b < lo || b >= hi || hi-lo > max(1, b/16+1) {
			t.Fatalf("%d is in step %d, from %d to %d", b, s, lo, hi)
		}
	})
}

// Every reason for which a link drops is one that records know, in their order.
func TestDropsAreThoseOfRecords(t *testing.T) {
	var names []string
	for _, d := range new(Stats).drops() {
		names = append(names, d.Name)
	}
	var known []string
	for _, d := range result.LinkDrops() {
		known = append(known, d.Name)
	}
	equal(t, "reasons", names, known)
}
