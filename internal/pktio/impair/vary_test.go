package impair

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// delays returns how long frames are on a wire of 10 ms, so far apart that none waits for another, in
// units of the jitter of 1 ms, and in order.
func delays(t *testing.T, d topo.Distribution, frames int) (out []float64) {
	t.Helper()
	cfg := Config{Params: Params{Delay: 10 * ms, Jitter: ms, Distribution: d}}
	cfg.reseed(4)
	b := newBench(t, cfg)
	sent := func(i int) units.Time { return units.Time(units.Second) * units.Time(i) }
	for i := range frames {
		b.at(sent(i), frameOf(i, 100))
	}
	b.drain()
	for i, s := range b.seen {
		out = append(out, float64(s.at.Sub(sent(i))-10*ms)/float64(ms))
	}
	slices.Sort(out)
	return out
}

// The delay of frames has the distribution that was asked for, as their formulas in package topo say:
// the test of Kolmogorov and Smirnov, at 99%. The sum of twelve uniform numbers deviates from the normal
// distribution by 0.0024 at most.
func TestJitterHasItsDistribution(t *testing.T) {
	const frames = 50_000
	for _, c := range []struct {
		of          topo.Distribution
		below       func(x float64) float64 // share of factors up to x
		least, most float64
		slack       float64
	}{
		{topo.Uniform, func(x float64) float64 { return (x + 1) / 2 }, -1, 1, 0},
		{topo.Normal, func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }, -4, 4, 0.0024},
		{topo.Pareto, func(x float64) float64 { return 1 - math.Pow(1.5+0.75*x, -3) }, -2.0 / 3, 4, 0},
	} {
		got := delays(t, c.of, frames)
		if got[0] < c.least-1e-9 || got[len(got)-1] > c.most+1e-9 {
			t.Errorf("%v: factors from %v to %v, want them within %v to %v", c.of, got[0], got[len(got)-1], c.least, c.most)
		}
		worst := 0.0
		for i, x := range got {
			if x < c.most { // what is cut off stands there
				worst = max(worst, math.Abs(float64(i+1)/frames-c.below(x)))
			}
		}
		if limit := 1.63/math.Sqrt(frames) + c.slack; worst > limit {
			t.Errorf("%v: the distribution is off by %.4f, want %.4f at most", c.of, worst, limit)
		}
	}
}

// One frame in ninety of pareto would be later than four jitters, and is cut off there.
func TestParetoIsCutOff(t *testing.T) {
	const frames = 20_000
	got := delays(t, topo.Pareto, frames)
	at := 0
	for _, x := range got {
		if x > 4-1e-6 {
			at++
		}
	}
	want := math.Pow(4.5, -3)
	checkMean(t, "share at the cut", float64(at)/frames, want, math.Sqrt(want*(1-want)/frames))
}

// A delay that would be negative is zero: no frame arrives before its last bit is sent.
func TestDelayIsNeverNegative(t *testing.T) {
	cfg := Config{Params: Params{Rate: gigabit, Delay: ms, Jitter: ms, Distribution: topo.Normal}}
	cfg.reseed(1)
	b := newBench(t, cfg)
	sent := func(i int) units.Time { return (units.Time(units.Second) * units.Time(i)).Add(kiloTime) }
	for i := range 1000 {
		b.at(sent(i).Add(-kiloTime), frameOf(i, kiloFrame))
	}
	b.drain()
	atOnce := 0
	for i, s := range b.seen {
		if s.at < sent(i) {
			t.Fatalf("frame %d arrives %v before it was sent", i, sent(i).Sub(s.at))
		}
		if s.at == sent(i) {
			atOnce++
		}
	}
	want := (1 + math.Erf(-1/math.Sqrt2)) / 2 // a deviation below the mean
	checkMean(t, "share without delay", float64(atOnce)/1000, want, math.Sqrt(want*(1-want)/1000))
}

// A driver that comes late finds frames of both lanes due: they leave in the order of their times, and of two
// at one time the one that was sent first.
func TestLanesMergeByTime(t *testing.T) {
	for _, quantum := range []units.Duration{0, ms} {
		for _, c := range []struct {
			gap   int
			delay units.Duration
			want  []int
		}{
			{2, 3 * kiloTime, []int{1, 0, 3, 2, 5, 4, 7, 6, 9, 8}},
			{3, 3 * kiloTime / 2, []int{0, 2, 1, 3, 5, 4, 6, 8, 7, 9}}, // one overtakes in the middle of a run
		} {
			cfg := Config{Params: Params{Rate: gigabit, Delay: c.delay, Reorder: 1, ReorderGap: c.gap}, Quantum: quantum}
			cfg.reseed(1)
			b := newBench(t, cfg)
			b.at(0, kilo(0, 10))
			b.drain()
			equal(t, "frames", b.ids(), c.want)
		}
	}
}

// Another gap counts from when it comes.
func TestGapChanges(t *testing.T) {
	p := Params{Delay: 100 * us, Reorder: 1, ReorderGap: 3}
	then := p
	then.ReorderGap = 4
	cfg := Config{Params: p, Changes: []Change{{units.Time(10 * us), then}}}
	cfg.reseed(1)
	b := newBench(t, cfg)
	for i := range 16 {
		b.at(units.Time(us)*units.Time(i), frameOf(i, 100))
	}
	b.drain()
	equal(t, "frames that overtake", b.ids()[:4], []int{2, 5, 8, 13})
}

// share plays frames one after the other, 1 us apart, and returns how many of them had something happen.
func share(t *testing.T, p Params, frames int, counter string) float64 {
	t.Helper()
	cfg := Config{Params: p}
	cfg.reseed(9)
	b := newBench(t, cfg)
	for i := range frames {
		b.at(units.Time(us)*units.Time(i), frameOf(i, 100))
	}
	b.drain()
	return float64(b.count(counter)) / float64(frames)
}

// Frames overtake, come twice and are corrupted as often as asked for, within the 99% interval.
func TestMishapsAreAsFrequentAsAsked(t *testing.T) {
	const frames, p = 40_000, 0.03
	for _, c := range []struct {
		counter string
		params  Params
		want    float64
	}{
		{CountOvertook, Params{Delay: ms, Reorder: p}, p},
		{CountDuplicated, Params{Delay: ms, Duplicate: p}, p},
		{DropFCS, Params{Delay: ms, Corrupt: p}, p},
		// One that overtakes is followed by four that cannot, and then by 1/p frames on average.
		{CountOvertook, Params{Delay: ms, Reorder: p, ReorderGap: 5}, 1 / (4 + 1/p)},
	} {
		got := share(t, c.params, frames, c.counter)
		checkMean(t, c.counter, got, c.want, math.Sqrt(c.want*(1-c.want)/frames))
	}
}

// With a gap of 5 every fifth frame overtakes, as netem has it, and no other.
func TestEveryFifthOvertakes(t *testing.T) {
	cfg := Config{Params: Params{Delay: 100 * us, Reorder: 1, ReorderGap: 5}}
	cfg.reseed(1)
	b := newBench(t, cfg)
	for i := range 10 {
		b.at(units.Time(us)*units.Time(i), frameOf(i, 100))
	}
	b.drain()
	equal(t, "frames", b.ids(), []int{4, 9, 0, 1, 2, 3, 5, 6, 7, 8})
	if b.seen[0].at != units.Time(4*us) || b.seen[2].at != units.Time(100*us) {
		t.Errorf("frames arrive at %v", b.times())
	}
}

// A frame that comes twice does so with the same bytes, one right behind the other.
func TestDuplicatesComeTogether(t *testing.T) {
	cfg := Config{Params: Params{Rate: gigabit, Delay: ms, Duplicate: 0.4}}
	cfg.reseed(2)
	b := newBench(t, cfg)
	b.at(0, kilo(0, 50))
	b.drain()
	n := 0
	for i := 1; i < len(b.seen); i++ {
		if a, c := b.seen[i-1], b.seen[i]; a.id == c.id {
			n++
			if a.at != c.at || a.bytes != c.bytes {
				t.Errorf("frame %d comes again at %v with other bytes or at another time than %v", a.id, c.at, a.at)
			}
		}
	}
	if n == 0 || len(b.seen) != 50+n || b.count(CountDuplicated) != uint64(n) {
		t.Errorf("%d frames of 50 arrive, %d of them twice, %d counted", len(b.seen), n, b.count(CountDuplicated))
	}
	if !slices.IsSorted(b.ids()) {
		t.Errorf("frames overtake: %v", b.ids())
	}
}
