package atp

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
)

// drawParams draws a run in which everything can happen: 254 to 126 numbers that come round again
// and again, few aggregators, every rule of the configuration.
func drawParams(t *rapid.T) params {
	p := params{
		n: rapid.IntRange(1, 4).Draw(t, "workers"), gens: rapid.IntRange(1, 3).Draw(t, "generations"),
		servers: rapid.IntRange(1, 2).Draw(t, "servers"),
		age:     units.Millisecond, rehash: rapid.Bool().Draw(t, "rehash"),
		delay: rapid.SampledFrom([]units.Duration{0, units.Microsecond, 20 * units.Microsecond}).Draw(t, "delay"),
		seed:  rng.Root(rapid.Uint64().Draw(t, "seed")),
		loss:  rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "loss"),
		again: rapid.SampledFrom([]float64{0, 0.05, 0.3}).Draw(t, "copies"),
		odd:   rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "order"),
		mark:  rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "marks"),
	}
	threads := rapid.IntRange(1, 2).Draw(t, "threads")
	bits := 7
	if p.servers*threads > 1 {
		bits = 9
	}
	tensor, cut := rapid.IntRange(1, 250*block).Draw(t, "tensor"), rapid.IntRange(block, 30*block).Draw(t, "cut")
	indexing := rapid.SampledFrom([]Indexing{ByPosition, ByNumber, Linear, Static}).Draw(t, "indexing")
	aggregators := rapid.SampledFrom([]int{0, 1, 5, 24}).Draw(t, "aggregators")
	rules := rapid.SliceOfN(rapid.Bool(), 9, 9).Draw(t, "rules")
	resend := rapid.SampledFrom([]Resend{Expected, Passed, Gaps}).Draw(t, "resend")
	least := rapid.SampledFrom([]int{1, 5}).Draw(t, "least window")
	if indexing == Static && aggregators != 24 {
		indexing = Linear
	}
	p.host = func(c *Config) {
		c.Threads, c.SequenceBits, c.Tensor, c.Cut, c.Indexing, c.Aggregators = threads, bits, tensor, cut, indexing, aggregators
		c.Aligned, c.Fixed, c.Doubling, c.Avoidance, c.EachMark, c.Alone, c.Keep, c.Sweep = rules[0], rules[1], rules[2], rules[3], rules[4], rules[5], rules[6], rules[7]
		c.LeastWindow, c.Resend, c.ByPlace = least, resend, rules[8] && indexing == ByPosition
		if indexing == Static {
			c.Base, c.Part = 4, 20
		}
	}
	return p
}

// Whatever is lost, copied, late, marked, collides or moves, every packet's parameters come once at
// each worker and are the exact sum, windows keep to their limits, and it ends.
func TestEveryPacketOnceAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, drawParams(t))
		r.mustBeDone(t)
		r.check(t)
		for w := range r.n {
			r.checkCounts(t, w)
			r.checkOrder(t, w)
		}
	})
}

// checkCounts holds the counters of a worker to what was on its wire.
func (r *rig) checkCounts(t rapid.TB, w int) {
	t.Helper()
	firsts := 0
	for i := range r.model.streams {
		firsts += len(r.firsts(w, i))
	}
	resent := r.count(w, "resent-packets")
	if sent := r.count(w, CountSent); sent != len(r.sent[w]) || sent != firsts+resent {
		t.Fatalf("worker %d counts %d sent, %d of them again; on the wire are %d, and %d for the first time", w, sent, resent, len(r.sent[w]), firsts)
	}
	blocks := 0
	for range r.gens {
		blocks += (r.cfg.Tensor + block - 1) / block
	}
	if n := r.count(w, CountSwept); firsts != blocks+n {
		t.Fatalf("worker %d sent %d packets for the first time, %d of them sweeps, for %d blocks", w, firsts, n, blocks)
	}
	waits := len(r.cores[w].Waiting(1000)) // sweeps may be on their way when all is done
	if n := r.count(w, CountParameters); n != firsts-waits || waits > 0 && r.count(w, CountSwept) == 0 {
		t.Fatalf("worker %d took parameters of %d packets of %d, and waits for %d", w, n, firsts, waits)
	}
	if r.loss == 0 && r.odd == 0 && r.again == 0 && r.model.collisions == 0 && resent > 0 {
		t.Fatalf("worker %d sent %d packets again, though none was lost or late", w, resent)
	}
}

// checkOrder holds what a worker sent for the first time to the order of numbers, and to sweeps.
func (r *rig) checkOrder(t rapid.TB, w int) {
	t.Helper()
	for i, numbers := range r.model.streams {
		table := uint64(r.cfg.Aggregators)
		firsts := r.firsts(w, i)
		for n, f := range firsts {
			packet := uint64(n)
			if f.Sequence != numbers.Of(packet) {
				t.Fatalf("worker %d, stream %d: number %d follows %d others, want %d", w, i, f.Sequence, n, numbers.Of(packet))
			}
			if r.behindSweep(packet) {
				r.checkSwept(t, firsts[packet-table:packet])
			}
			if other := r.firsts(0, i); r.cfg.Aligned && n < len(other) && other[n].Index != f.Index {
				t.Fatalf("stream %d, packet %d: worker %d has index %d, worker 0 %d", i, n, w, f.Index, other[n].Index)
			}
			if packet == 0 && r.cfg.Sweep && f.at.Sub(0) < 2*r.cfg.Lifetime+r.cfg.Age {
				t.Fatalf("worker %d, stream %d: the first sweep begins at %v", w, i, f.at)
			}
		}
	}
}

// checkSwept holds packets to be one for each index.
func (r *rig) checkSwept(t rapid.TB, list []frame) {
	t.Helper()
	for index, f := range list {
		if int(f.Index) != index || !f.zeros {
			t.Fatalf("packet %d of a sweep has index %d, all zeros: %v", index, f.Index, f.zeros)
		}
	}
}

// Runs that carry lengths in place of most values send the same packets at the same times, and the
// values that there are come out right.
func TestUnstored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		every, host := rapid.IntRange(2, 9).Draw(t, "every"), p.host
		whole := newRig(t, p)
		p.host = func(c *Config) {
			host(c)
			c.Sample = gradient.Sampling{Every: every}
		}
		part := newRig(t, p)
		whole.mustBeDone(t)
		part.mustBeDone(t)
		part.check(t)
		for w := range p.n {
			if len(whole.sent[w]) != len(part.sent[w]) {
				t.Fatalf("worker %d sent %d packets, with lengths only %d", w, len(whole.sent[w]), len(part.sent[w]))
			}
			for k, f := range whole.sent[w] {
				if g := part.sent[w][k]; f.Header != g.Header || f.at != g.at || f.zeros && !g.none {
					t.Fatalf("worker %d, packet %d: %+v, with lengths only %+v", w, k, f, g)
				}
			}
		}
	})
}

// The runs of the properties above have everything in them: all of these came up when enough of
// them were drawn.
func TestDrawnRunsHaveEverything(t *testing.T) {
	seen := map[string]bool{}
	want := []string{"again", "collision", "aged", "stale", CountSwept, CountOutOfOrder, CountTimeouts, CountRemapped, CountMarks, CountHalved, DropDuplicate}
	draw := rapid.Custom(drawParams)
	for seed := 0; seed < 1000 && len(seen) < len(want); seed++ {
		r := newRig(t, draw.Example(seed))
		r.mustBeDone(t)
		r.check(t)
		note := func(what string, is bool) {
			if is {
				seen[what] = true
			}
		}
		for _, name := range want[4:] {
			note(name, r.count(0, name) > 0)
		}
		note("again", r.cores[0].streams[0].next > 2*uint64(r.model.streams[0].Size))
		note("collision", r.model.collisions > 0)
		note("aged", r.model.aged > 0)
		note("stale", r.model.stale > 0)
	}
	for _, what := range want {
		if !seen[what] {
			t.Errorf("%s never came up", what)
		}
	}
}
