package impair

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

var _ sansio.Machine = (*Link)(nil)

// offer is a train that arrives at a time.
type offer struct {
	at    units.Time
	train sansio.Train
}

func drawParams(t *rapid.T) Params {
	return Params{
		Rate:      units.Rate(rapid.SampledFrom([]int64{0, 1e6, 123_456_789, 1e9, 1e11}).Draw(t, "rate")),
		Delay:     units.Duration(rapid.Int64Range(0, int64(2*ms)).Draw(t, "delay")),
		Jitter:    units.Duration(rapid.SampledFrom([]int64{0, 1, int64(us), int64(ms)}).Draw(t, "jitter")),
		Loss:      rapid.SampledFrom([]float64{0, 0, 0.1, 0.5, 1}).Draw(t, "loss"),
		LossEvery: rapid.SampledFrom([]int{0, 0, 1, 2, 7}).Draw(t, "every"),
		Queue:     units.Bytes(rapid.SampledFrom([]int64{0, 1, 1000, 5000}).Draw(t, "queue")),

		Distribution: rapid.SampledFrom([]topo.Distribution{topo.Uniform, topo.Normal, topo.Pareto}).Draw(t, "distribution"),
		Reorder:      rapid.SampledFrom([]float64{0, 0, 0.2, 1}).Draw(t, "reorder"),
		ReorderGap:   rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "gap"),
		Duplicate:    rapid.SampledFrom([]float64{0, 0, 0.3, 1}).Draw(t, "duplicate"),
		Corrupt:      rapid.SampledFrom([]float64{0, 0, 0.1}).Draw(t, "corrupt"),
	}
}

func drawConfig(t *rapid.T) Config {
	draw := func() Params { return drawParams(t) }
	cfg := Config{Params: draw(), Changes: drawChanges(t, draw), Name: "test", Out: 1}
	cfg.reseed(rng.Root(rapid.Uint64().Draw(t, "seed")))
	cfg.MaxInFlight = rapid.SampledFrom([]int{0, 0, 20}).Draw(t, "in flight")
	return cfg
}

func drawOffers(t *rapid.T) []offer {
	var out []offer
	at, first := units.Time(0), 0
	for range rapid.IntRange(1, 12).Draw(t, "trains") {
		at = at.Add(units.Duration(rapid.SampledFrom([]int64{0, 0, 1, int64(us), int64(100 * us)}).Draw(t, "gap")))
		frames := rapid.IntRange(1, 20).Draw(t, "frames")
		tr := train(first, frames, rapid.IntRange(4, 400).Draw(t, "size"))
		out = append(out, offer{at, tr})
		first += frames
	}
	return out
}

func play(b *bench, offers []offer) {
	for _, o := range offers {
		b.at(o.at, o.train)
	}
	b.drain()
}

func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench(t, drawConfig(t))
		offers := drawOffers(t)
		in, limit := uint64(0), units.Bytes(0) // a change may leave more in the queue than its limit
		check := func() {
			s := b.link.Stats()
			drops := s.QueueFull + s.InFlightLimit + s.LossBernoulli + s.LossEvery + s.LossFCS
			if s.In.Frames != in || s.Out.Frames != uint64(len(b.seen)) || s.In.Frames+s.Duplicated != s.Out.Frames+drops+uint64(b.link.InFlight()) {
				t.Fatalf("of %d frames: %+v, %d in flight, %d seen", in, s, b.link.InFlight(), len(b.seen))
			}
		}
		for _, o := range offers {
			in += uint64(o.train.Frames())
			b.at(o.at, o.train)
			check()
			if limit = max(limit, b.link.queue.limit); b.link.queue.bytes > limit {
				t.Fatalf("%d bytes wait in a queue of %d", b.link.queue.bytes, limit)
			}
		}
		b.drain()
		check()
		if b.link.InFlight() != 0 || b.link.wire.parcels.len() != 0 || b.link.fast.parcels.len() != 0 {
			t.Fatalf("%d frames are left inside", b.link.InFlight())
		}
	})
}

func TestFIFO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.Reorder = 0
		for i := range cfg.Changes {
			cfg.Changes[i].Reorder = 0
		}
		b := newBench(t, cfg)
		play(b, drawOffers(t))
		if !slices.IsSorted(b.ids()) || !slices.IsSorted(b.times()) {
			t.Fatalf("frames %v at %v", b.ids(), b.times())
		}
	})
}

// Every frame that arrives does so with the bytes it had, at the time and with
// the fate that it has when it comes alone.
func TestSplittingAndJoiningTrains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		seed := rng.Root(rapid.Uint64().Draw(t, "streams"))
		offers := drawOffers(t)
		var split []offer
		for _, o := range offers {
			for i := 0; i < o.train.Frames(); {
				j := rapid.IntRange(i+1, o.train.Frames()).Draw(t, "cut")
				split = append(split, offer{o.at, o.train.Sub(i, j, nil)})
				i = j
			}
		}
		run := func(offers []offer) string {
			cfg.reseed(seed)
			b := newBench(t, cfg)
			play(b, offers)
			return fmt.Sprint(b.seen, b.link.Counters(), int64(b.link.line.free))
		}
		if whole, parts := run(offers), run(split); whole != parts {
			t.Fatalf("whole: %s\nparts: %s", whole, parts)
		}
	})
}

// Calls in between, early or late, change nothing but the time at which a late
// driver sees a frame.
func TestExtraCallsAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		seed := rng.Root(rapid.Uint64().Draw(t, "streams"))
		offers := drawOffers(t)
		cfg.reseed(seed)
		b := newBench(t, cfg)
		play(b, offers)

		cfg.reseed(seed)
		cfg.Quantum = units.Duration(rapid.Int64Range(0, int64(300*us)).Draw(t, "quantum"))
		late := newBench(t, cfg)
		for _, o := range offers {
			late.at(o.at)
			late.at(o.at, o.train)
			late.link.Expire(o.at, &late.eff)
			late.collect(o.at)
		}
		late.drain()
		if fmt.Sprint(b.ids()) != fmt.Sprint(late.ids()) {
			t.Fatalf("frames %v, late %v", b.ids(), late.ids())
		}
		for i := range b.seen {
			by := b.seen[i].at.Add(cfg.Quantum)
			if at := late.seen[i].at; at < b.seen[i].at || at > by {
				t.Fatalf("frame %d left at %d, due at %d, quantum %d", i, at, b.seen[i].at, cfg.Quantum)
			}
		}
	})
}

// reference is the model without trains, rings and integers: a list of frames
// and exact fractions.
type reference struct {
	cfg     Config
	waiting []*big.Rat // when each waiting frame starts
	sizes   []units.Bytes
	free    *big.Rat
	rate    units.Rate // of the latest frame
}

func newReference(cfg Config) *reference {
	return &reference{cfg: cfg, free: new(big.Rat), rate: cfg.Rate}
}

// at returns the parameters that hold at a time.
func (r *reference) at(t units.Time) Params {
	p := r.cfg.Params
	for _, c := range r.cfg.Changes {
		if c.At <= t {
			p = c.Params
		}
	}
	return p
}

// due returns when a frame of n bytes arrives, rounded down, or false.
func (r *reference) due(now units.Time, n units.Bytes) (units.Time, bool) {
	for len(r.waiting) > 0 && floor(r.waiting[0]) <= now {
		r.waiting, r.sizes = r.waiting[1:], r.sizes[1:]
	}
	p := r.at(max(now, floor(r.free)))
	if p.Rate != r.rate { // what is left of a picosecond means nothing at another rate
		r.rate, r.free = p.Rate, new(big.Rat).SetInt64(int64(floor(r.free)))
	}
	start := new(big.Rat).SetInt64(int64(now))
	if floor(r.free) >= now {
		start = r.free
	}
	if floor(start) > now {
		sum := n
		for _, s := range r.sizes {
			sum += s
		}
		if sum > r.at(now).Queue {
			return 0, false
		}
		r.waiting, r.sizes = append(r.waiting, start), append(r.sizes, n)
	}
	took := new(big.Rat)
	if p.Rate > 0 {
		bits := int64(n+units.EthernetFraming) * 8
		took.Mul(big.NewRat(bits, int64(p.Rate)), big.NewRat(int64(units.Second), 1))
	}
	r.free = new(big.Rat).Add(start, took)
	return floor(r.free).Add(p.Delay), true
}

func floor(r *big.Rat) units.Time {
	return units.Time(new(big.Int).Quo(r.Num(), r.Denom()).Int64())
}

func TestAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			Rate:  units.Rate(rapid.Int64Range(1e5, 1e11).Draw(t, "rate")),
			Delay: units.Duration(rapid.Int64Range(0, int64(ms)).Draw(t, "delay")),
			Queue: units.Bytes(rapid.Int64Range(1, 10000).Draw(t, "queue")),
		}
		offers := drawOffers(t)
		b := newBench(t, Config{Params: p, Out: 1})
		play(b, offers)
		ref := newReference(Config{Params: p})
		var want []units.Time
		for _, o := range offers {
			for i := range o.train.Frames() {
				if due, ok := ref.due(o.at, o.train.FrameBytes(i)); ok {
					want = append(want, due)
				}
			}
		}
		if got := b.times(); !slices.Equal(got, want) {
			t.Fatalf("arrivals\n%d\nwant\n%d", got, want)
		}
	})
}

// lossesWith plays n frames one after the other and returns what was lost.
func lossesWith(t *testing.T, seed rng.Root, n int, p Params) []int {
	cfg := Config{Params: p}
	cfg.reseed(seed)
	b := newBench(t, cfg)
	for i := range n {
		b.at(units.Time(10*us)*units.Time(i), frameOf(i, 100))
	}
	b.drain()
	return b.lost(n)
}

func TestSameSeedSameLosses(t *testing.T) {
	const n = 2000
	base := Params{Loss: 0.1}
	want := lossesWith(t, 1, n, base)
	if len(want) == 0 {
		t.Fatal("nothing lost")
	}
	equal(t, "same seed", lossesWith(t, 1, n, base), want)
	if slices.Equal(lossesWith(t, 2, n, base), want) {
		t.Error("another seed loses the same frames")
	}
	for name, p := range map[string]Params{
		"jitter":         {Loss: 0.1, Jitter: ms},
		"mishaps":        {Loss: 0.1, Delay: ms, Jitter: ms, Distribution: topo.Pareto, Reorder: 0.1, Duplicate: 0.1},
		"rate and delay": {Loss: 0.1, Rate: gigabit, Delay: ms},
	} {
		equal(t, name, lossesWith(t, 1, n, p), want)
	}
	every := lossesWith(t, 1, n, Params{LossEvery: 7})
	both := slices.Concat(want, every)
	slices.Sort(both)
	equal(t, "both losses", lossesWith(t, 1, n, Params{Loss: 0.1, LossEvery: 7}), slices.Compact(both))
}

// The frames that survive arrive when they would without loss, jitter included.
func TestLossDoesNotShiftTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		seed := rng.Root(rapid.Uint64().Draw(t, "streams"))
		offers := drawOffers(t)
		cfg.MaxInFlight, cfg.Changes = 0, nil
		cfg.Loss, cfg.LossEvery = 0.3, rapid.SampledFrom([]int{0, 3}).Draw(t, "nth")
		cfg.reseed(seed)
		lossy := newBench(t, cfg)
		play(lossy, offers)
		cfg.Loss, cfg.LossEvery = 0, 0
		cfg.reseed(seed)
		clean := newBench(t, cfg)
		play(clean, offers)
		at := map[int]units.Time{}
		for _, s := range clean.seen {
			at[s.id] = s.at
		}
		for _, s := range lossy.seen {
			if want, ok := at[s.id]; !ok || s.at != want {
				t.Fatalf("frame %d at %v, without loss at %v", s.id, s.at, want)
			}
		}
	})
}

// The number of losses is binomial; four deviations are passed once in 16,000
// seeds, and this seed is fixed.
func TestBernoulliRate(t *testing.T) {
	const n = 64 * 1000
	for _, p := range []float64{0.001, 0.01, 0.1, 0.5} {
		cfg := Config{Params: Params{Loss: p}}
		cfg.LossStream, _ = streams(9)
		b := newBench(t, cfg)
		for range n / 64 {
			b.at(0, train(0, 64, 10))
		}
		lost, mean := float64(b.count(DropBernoulli)), n*p
		if sigma := math.Sqrt(mean * (1 - p)); math.Abs(lost-mean) > 4*sigma {
			t.Errorf("loss %v: %v of %d frames lost, expected %v, sigma %v", p, lost, n, mean, sigma)
		}
	}
}

func TestEveryNthIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(1, 30).Draw(t, "every")
		b := newBench(t, Config{Params: Params{LossEvery: every}})
		n := 0
		for _, o := range drawOffers(t) {
			b.at(o.at, o.train)
			n += o.train.Frames()
		}
		var want []int
		for i := every - 1; i < n; i += every {
			want = append(want, i)
		}
		if !slices.Equal(b.lost(n), want) || b.count(DropLossEvery) != uint64(len(want)) {
			t.Fatalf("lost %v, want %v", b.lost(n), want)
		}
	})
}

// Frames that the queue drops are not on the wire, so it does not count them.
func TestEveryNthCountsFramesOnTheLine(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, LossEvery: 2, Queue: kiloFrame}})
	b.at(0, kilo(0, 5))                       // 0 sent, 1 waits and will be lost, 2 to 4 dropped
	b.at(units.Time(10*kiloTime), kilo(5, 2)) // 5 sent, 6 lost
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 5})
}
