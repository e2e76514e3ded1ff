package impair

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// changing returns a bench of a link that changes, at times from 0 on.
func changing(t *testing.T, p Params, changes ...Change) *bench {
	t.Helper()
	cfg := Config{Params: p, Changes: changes}
	cfg.LossStream, cfg.JitterStream = streams(1)
	return newBench(t, cfg)
}

// A new rate holds from the frame that the line serialises next: of five frames that come
// together, those that wait when it changes.
func TestRateChangesInMidQueue(t *testing.T) {
	const ps = units.Picosecond
	for _, c := range []struct {
		at   units.Duration
		rate units.Rate
		ends []units.Duration
	}{
		{20 * us, 2 * gigabit, []units.Duration{8 * us, 16 * us, 24 * us, 28 * us, 32 * us}},
		{20 * us, gigabit / 2, []units.Duration{8 * us, 16 * us, 24 * us, 40 * us, 56 * us}},
		{20 * us, 0, []units.Duration{8 * us, 16 * us, 24 * us, 24 * us, 24 * us}},
		{16 * us, 2 * gigabit, []units.Duration{8 * us, 16 * us, 20 * us, 24 * us, 28 * us}}, // the third starts then
		{16*us + ps, 2 * gigabit, []units.Duration{8 * us, 16 * us, 24 * us, 28 * us, 32 * us}},
		{0, 2 * gigabit, []units.Duration{4 * us, 8 * us, 12 * us, 16 * us, 20 * us}},
		{40 * us, 2 * gigabit, []units.Duration{8 * us, 16 * us, 24 * us, 32 * us, 40 * us}},
	} {
		b := changing(t, Params{Rate: gigabit, Delay: ms}, Change{units.Time(c.at), Params{Rate: c.rate, Delay: ms}})
		b.at(0, kilo(0, 5))
		b.drain()
		var want []units.Time
		for _, end := range c.ends {
			want = append(want, units.Time(end+ms))
		}
		equal(t, fmt.Sprintf("%v at %v", c.rate, c.at), b.times(), want)
	}
}

// Rates at which no frame takes whole picoseconds: the sums are exact on both sides of a change,
// rounded down once at it.
func TestRateChangeIsExact(t *testing.T) {
	const first, second = 7_777_777_777, 3 * gigabit
	const n, size = 5000, kiloFrame + int(units.EthernetFraming)
	at := units.Rate(first).TimeToSend(units.Bytes(n*size)) - 1 // in the n-th frame
	b := changing(t, Params{Rate: first, Queue: 20e6}, Change{units.Time(at), Params{Rate: second, Queue: 20e6}})
	for i := range 2 * n {
		b.at(0, frameOf(i, kiloFrame))
	}
	b.drain()
	want := units.Rate(first).TimeToSend(units.Bytes(n*size)) + second.TimeToSend(units.Bytes(n*size))
	if got := b.seen[len(b.seen)-1].at; got != units.Time(want) {
		t.Errorf("%d frames until %d ps, want %d", len(b.seen), got, want)
	}
}

// A change of anything else leaves the exact sum of the line alone.
func TestOtherChangesKeepTheRemainder(t *testing.T) {
	const rate = 7 * units.BitPerSecond
	p := Params{Rate: rate}
	b := changing(t, p, Change{1, Params{Rate: rate, Delay: 1}})
	b.at(0, kilo(0, 2))
	b.drain()
	if got, want := b.seen[1].at, units.Time(rate.TimeToSend(2000)+1); got != want {
		t.Errorf("two frames took %d ps, want %d", got, want)
	}
}

// Frames that the line sends behind a shorter delay arrive with the last of those before it.
func TestShorterDelayDoesNotReorder(t *testing.T) {
	b := changing(t, Params{Rate: gigabit, Delay: 100 * us}, Change{units.Time(12 * us), Params{Rate: gigabit, Delay: 10 * us}})
	b.at(0, kilo(0, 4))                  // sent until 8, 16, 24 and 32 us
	b.at(units.Time(200*us), kilo(4, 1)) // alone
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 3, 4})
	equal(t, "times", b.times(), []units.Time{
		units.Time(108 * us), units.Time(116 * us), units.Time(116 * us), units.Time(116 * us), units.Time(218 * us),
	})
}

// Losses hold for the frames whose first bit is sent while they do, those included that wait
// when they begin or end.
func TestLossOnAndOff(t *testing.T) {
	lossless := Params{Rate: gigabit, Delay: ms}
	lossy := lossless
	lossy.Loss = 1
	b := changing(t, lossless, Change{units.Time(10 * us), lossy}, Change{units.Time(32 * us), lossless})
	b.at(0, kilo(0, 6)) // they start at 0, 8, 16, 24, 32 and 40 us
	b.drain()
	equal(t, "lost", b.lost(6), []int{2, 3})
	equal(t, "times", b.times(), []units.Time{
		units.Time(8*us + ms), units.Time(16*us + ms), units.Time(40*us + ms), units.Time(48*us + ms),
	})
	if n := b.count(DropBernoulli); n != 2 {
		t.Errorf("%d losses counted", n)
	}
}

// What counts or remembers frames starts anew where it changes, and goes on where it does not.
func TestCountsStartAnew(t *testing.T) {
	b := changing(t, Params{LossEvery: 3},
		Change{10, Params{LossEvery: 2}}, Change{20, Params{LossEvery: 2, Delay: us}}, Change{30, Params{}})
	b.at(0, kilo(0, 2))
	b.at(10, kilo(2, 3))
	b.at(20, kilo(5, 1))
	b.at(30, kilo(6, 9))
	b.drain()
	equal(t, "lost", b.lost(15), []int{3, 5})

	always := topo.Bursts{Enter: 1, Bad: 1, Leave: 1e-9}
	cfg := Config{Params: Params{Bursts: always}, Changes: []Change{{10, Params{Bursts: always, Delay: us}}, {20, Params{Bursts: topo.Bursts{Enter: 1, Bad: 1, Leave: 2e-9}}}}}
	cfg.BurstStream, _ = streams(1)
	b = newBench(t, cfg)
	b.at(0, kilo(0, 2))  // good, then bad
	b.at(10, kilo(2, 2)) // still bad
	b.at(20, kilo(4, 2)) // good again
	b.drain()
	equal(t, "lost", b.lost(6), []int{1, 2, 3, 5})
}

// A link that a change makes imperfect is there all the time; while it is perfect, frames pass
// at once, though not before one that is inside.
func TestPerfectForATime(t *testing.T) {
	b := changing(t, Params{}, Change{100, Params{Delay: ms}}, Change{200, Params{}})
	if b.link.Transparent() {
		t.Error("transparent, and a change makes it imperfect")
	}
	b.at(0, kilo(0, 2))
	b.at(100, kilo(2, 1))
	b.at(200, kilo(3, 1))
	b.at(units.Time(2*ms), kilo(4, 1))
	equal(t, "frames", b.ids(), []int{0, 1, 2, 3, 4})
	due := units.Time(ms) + 100
	equal(t, "times", b.times(), []units.Time{0, 0, due, due, units.Time(2 * ms)})
	if !changing(t, Params{}, Change{100, Params{Queue: 1}}).link.Transparent() {
		t.Error("perfect at all times, and not transparent")
	}
}

// A limit of the queue holds for frames that come; what waits already stays.
func TestQueueShrinks(t *testing.T) {
	b := changing(t, Params{Rate: gigabit}, Change{units.Time(us), Params{Rate: gigabit, Queue: 2 * kiloFrame}})
	b.at(0, kilo(0, 5))                 // four wait
	b.at(units.Time(us), kilo(5, 1))    // no room
	b.at(units.Time(16*us), kilo(6, 1)) // two wait: no room
	b.at(units.Time(24*us), kilo(7, 1)) // one waits
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 3, 4, 7})
	if d := b.link.Depth(0, units.Time(48*us)); d.Max != 4*kiloFrame {
		t.Errorf("at most %d waited", d.Max)
	}
}

// The depth of the queue is that of frames which wait as long as the line really needs.
func TestDepthOverAChange(t *testing.T) {
	b := changing(t, Params{Rate: gigabit}, Change{units.Time(16 * us), Params{Rate: gigabit / 2}})
	b.at(0, kilo(0, 4)) // 3 wait for 8 us, 2 for 8, 1 for 16
	b.drain()
	if d := b.link.Depth(0, units.Time(56*us)); d.Mean != kiloFrame*(3*8+2*8+16)/56 {
		t.Errorf("mean depth %d, want %d", d.Mean, kiloFrame*(3*8+2*8+16)/56)
	}
}

// A threshold marks the frames that come while it holds.
func TestMarkingChanges(t *testing.T) {
	marked := Params{Rate: gigabit, Marking: topo.Marking{Min: kiloFrame, Max: kiloFrame}}
	b := changing(t, Params{Rate: gigabit}, Change{10, marked}, Change{20, Params{Rate: gigabit}})
	for at := range units.Time(3) {
		b.at(10*at, ect(kilo(10*int(at), 3)))
	}
	if n := b.link.Stats().Marked; n != 3 {
		t.Errorf("%d frames marked, want those of the second train", n)
	}
}

// Changes wait for the epoch, and one that was due before holds from then on.
func TestBegin(t *testing.T) {
	cfg := Config{Params: Params{Delay: us}, Changes: []Change{{10, Params{Delay: 2 * us}}, {units.Time(ms), Params{Delay: 3 * us}}}}
	for _, c := range []struct {
		epoch units.Time
		want  units.Duration
	}{{units.Time(10 * ms), us}, {units.Time(9 * ms), 3 * us}, {units.Time(9*ms) + 1, 2 * us}, {-units.Time(9 * ms), 3 * us}} {
		l, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{link: l, fail: t.Fatalf}
		b.at(units.Time(5*ms), kilo(0, 1)) // no matter when the epoch is: nobody has said
		b.drain()
		l.Begin(c.epoch)
		b.at(units.Time(10*ms), kilo(1, 1))
		b.drain()
		equal(t, fmt.Sprint("epoch at ", c.epoch), b.times(), []units.Time{units.Time(5*ms + us), units.Time(10*ms + c.want)})
	}
}

// A line that is used to the full has a use of 1 whatever its rates are; the time without a rate
// does not count.
func TestUseOverChanges(t *testing.T) {
	at := func(d units.Duration, r units.Rate) Change { return Change{units.Time(d), Params{Rate: r}} }
	b := changing(t, Params{Rate: gigabit}, at(16*us, 2*gigabit), at(24*us, 0), at(32*us, gigabit), at(100*us, 4*gigabit))
	b.at(0, kilo(0, 4)) // full until 24 us
	b.at(units.Time(24*us), kilo(4, 3))
	b.at(units.Time(32*us), kilo(7, 1)) // until 40 us
	b.drain()
	for until, want := range map[units.Duration]float64{40 * us: 1, 72 * us: 5.0 / 9, 110 * us: 5.0 / 17.5} {
		if got := b.link.Use(0, units.Time(until)); math.Abs(got-want) > 1e-12 {
			t.Errorf("use until %v is %v, want %v", until, got, want)
		}
	}
	for at, want := range map[units.Duration]int{0: 0, 16*us - 1: 0, 16 * us: 1, 31 * us: 2, 32 * us: 3, ms: 4} {
		if got := b.link.Changed(units.Time(at)); got != want {
			t.Errorf("%d changes by %v, want %d", got, at, want)
		}
	}
}

func TestNewRefusesChanges(t *testing.T) {
	for want, list := range map[string][]Change{
		"from 2us on: rate -1bit/s is negative: it must be positive, or zero for unlimited": {{units.Time(2 * us), Params{Rate: -1}}},
		"from 2us on: loss 0.5 needs random numbers: set LossStream":                        {{units.Time(2 * us), Params{Loss: 0.5}}},
		"from 2us on: jitter 1us needs random numbers: set JitterStream":                    {{units.Time(2 * us), Params{Jitter: us}}},
		"a change at -1ps: it must be at the epoch or later":                                {{-1, Params{}}},
		"a change at 1us stands behind one at 2us: put them in the order of time":           {{units.Time(2 * us), Params{}}, {units.Time(us), Params{}}},
	} {
		_, err := New(Config{Name: "a", Changes: list})
		if err == nil || err.Error() != `link "a": `+want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	l, err := New(Config{Changes: []Change{{5, Params{Delay: 1}}, {5, Params{Delay: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{link: l, fail: t.Fatalf}
	l.Begin(0)
	b.at(5, kilo(0, 1))
	b.drain()
	equal(t, "two at one time", b.times(), []units.Time{7})
}

// Trains through a link that changes, split in any way, meet the same.
func TestChangesAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() Params {
			return Params{
				Rate:  units.Rate(rapid.SampledFrom([]int64{0, 1e5, 123_456_789, 1e9, 1e11}).Draw(t, "rate")),
				Delay: units.Duration(rapid.Int64Range(0, int64(ms)).Draw(t, "delay")),
				Queue: units.Bytes(rapid.Int64Range(1, 10000).Draw(t, "queue")),
			}
		}
		cfg := Config{Params: draw(), Changes: drawChanges(t, draw)}
		offers := drawOffers(t)
		b := newBench(t, cfg)
		play(b, offers)
		ref := newReference(cfg)
		var want []units.Time
		var last units.Time
		for _, o := range offers {
			for i := range o.train.Frames() {
				if due, ok := ref.due(o.at, o.train.FrameBytes(i)); ok {
					last = max(last, due)
					want = append(want, last)
				}
			}
		}
		if got := b.times(); !slices.Equal(got, want) {
			t.Fatalf("arrivals\n%d\nwant\n%d", got, want)
		}
	})
}

// drawChanges draws changes, most of them while frames come.
func drawChanges(t *rapid.T, draw func() Params) (out []Change) {
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		out = append(out, Change{units.Time(rapid.Int64Range(0, int64(500*us)).Draw(t, "at")), draw()})
	}
	slices.SortStableFunc(out, func(a, b Change) int { return int(a.At - b.At) })
	return out
}

func TestChangesDoNotAllocate(t *testing.T) {
	var changes []Change
	for i := range 100 {
		changes = append(changes, Change{units.Time(ms) * units.Time(i), Params{Rate: gigabit + units.Rate(i)}})
	}
	l, err := New(Config{Params: Params{Rate: gigabit}, Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	l.Begin(0)
	var eff sansio.Effects
	in := []sansio.Arrival{{Train: kilo(0, 10)}}
	now := units.Time(0)
	round := func() {
		now = now.Add(500 * us)
		l.Expire(now, &eff)
		l.Handle(now, in, &eff)
		eff.Reset()
	}
	for range 20 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations in a round", n)
	}
	if n := l.Changed(now); n < 50 {
		t.Errorf("only %d changes came", n)
	}
}
