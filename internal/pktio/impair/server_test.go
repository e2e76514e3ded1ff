package impair

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// A line may take its time for a frame, and charge other bytes than Ethernet.
func TestServer(t *testing.T) {
	for name, c := range map[string]struct {
		params Params
		each   units.Duration // for a frame of 976 bytes
	}{
		"time alone":                {Params{PerFrame: 3 * us}, 3 * us},
		"time and bytes":            {Params{Rate: gigabit, PerFrame: 3 * us}, kiloTime + 3*us},
		"more bytes than a frame's": {Params{Rate: gigabit, Overhead: 149}, 9 * us},
		"fewer":                     {Params{Rate: gigabit, Overhead: -476}, 4 * us},
		"fewer, and time":           {Params{Rate: gigabit, Overhead: -476, PerFrame: 500 * units.Nanosecond}, 4*us + 500*units.Nanosecond},
		"fewer than none":           {Params{Rate: gigabit, Overhead: -5000, PerFrame: us}, us},
		"then a delay":              {Params{PerFrame: 3 * us, Delay: 0}, 3 * us},
	} {
		b := newBench(t, Config{Params: c.params})
		if b.link.Transparent() {
			t.Errorf("%s: transparent", name)
		}
		b.at(0, kilo(0, 3))
		b.at(units.Time(100*us), kilo(3, 1))
		b.drain()
		each := units.Time(c.each)
		equal(t, name, b.times(), []units.Time{each, 2 * each, 3 * each, units.Time(100*us) + each})
	}
}

// No bytes and no time: such a frame finds the line free, and leaves at once.
func TestNegativeOverheadOfAWholeFrame(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, Overhead: -kiloFrame}})
	b.at(7, kilo(0, 3))
	equal(t, "arrivals", b.times(), []units.Time{7, 7, 7})
}

func TestServerDropsWhatFindsNoRoom(t *testing.T) {
	b := newBench(t, Config{Params: Params{PerFrame: 3 * us, Queue: 2 * kiloFrame}})
	b.at(0, kilo(0, 5)) // one is served, two wait
	b.drain()
	equal(t, "arrivals", b.ids(), []int{0, 1, 2})
	if got := b.count(DropQueueFull); got != 2 {
		t.Errorf("%d drops", got)
	}
}

// shared are two links of one line.
func shared(t interface{ Fatalf(string, ...any) }, a, b Params) (one, two *bench) {
	one = newBench(t, Config{Name: "in", Params: a})
	return one, newBench(t, Config{Name: "out", Params: b, With: one.link, Out: 1})
}

// The line serves the frames of both links in the order in which they came.
func TestTwoLinksShareALine(t *testing.T) {
	in, out := shared(t, Params{Rate: gigabit}, Params{Rate: gigabit, Delay: 50 * us})
	in.at(0, kilo(0, 2))
	out.at(units.Time(us), kilo(10, 1))
	in.at(units.Time(2*us), kilo(2, 1))
	out.at(units.Time(2*us), kilo(11, 1))
	in.drain()
	out.drain()
	equal(t, "one way", in.times(), []units.Time{units.Time(8 * us), units.Time(16 * us), units.Time(32 * us)})
	equal(t, "the other", out.times(), []units.Time{units.Time(74 * us), units.Time(90 * us)})
}

// Each link has its own parameters and its own queue.
func TestSharedLineKeepsLinksApart(t *testing.T) {
	in, out := shared(t, Params{PerFrame: 3 * us, Queue: kiloFrame}, Params{PerFrame: 5 * us})
	in.at(0, kilo(0, 4))
	out.at(0, kilo(10, 3))
	in.drain()
	out.drain()
	equal(t, "one way", in.times(), []units.Time{units.Time(3 * us), units.Time(6 * us)})
	equal(t, "the other", out.times(), []units.Time{units.Time(11 * us), units.Time(16 * us), units.Time(21 * us)})
	if in.count(DropQueueFull) != 2 || out.count(DropQueueFull) != 0 {
		t.Errorf("drops %d and %d", in.count(DropQueueFull), out.count(DropQueueFull))
	}
}

// Two links of one line give every frame the time that one link gives it which
// takes the frames of both.
func TestSharedLineIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		params := Params{Rate: gigabit, Delay: 20 * us, PerFrame: rapid.SampledFrom([]units.Duration{0, us}).Draw(t, "per frame")}
		in, out := shared(t, params, params)
		all := newBench(t, Config{Params: params})
		now, id := units.Time(0), 0
		for range rapid.IntRange(1, 40).Draw(t, "arrivals") {
			now = now.Add(units.Duration(rapid.IntRange(0, 20).Draw(t, "gap")) * us)
			to := rapid.SampledFrom([]*bench{in, out}).Draw(t, "link")
			n := rapid.IntRange(1, 3).Draw(t, "frames")
			to.at(now, kilo(id, n))
			all.at(now, kilo(id, n))
			id += n
		}
		for _, b := range []*bench{in, out, all} {
			b.drain()
		}
		both := append(slices.Clone(in.seen), out.seen...)
		slices.SortFunc(both, func(a, b seen) int { return a.id - b.id })
		if len(both) != id || len(all.seen) != id {
			t.Fatalf("%d and %d frames of %d", len(both), len(all.seen), id)
		}
		for i := range both {
			if both[i].at != all.seen[i].at || both[i].bytes != all.seen[i].bytes {
				t.Fatalf("frame %d arrives at %v, alone at %v", i, both[i].at, all.seen[i].at)
			}
		}
	})
}
