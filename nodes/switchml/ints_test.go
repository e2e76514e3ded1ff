package switchml_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
)

// intCore reduces int32 tensors where a sansiotest.Host has floats.
type intCore struct {
	*switchml.Core
	worker, tensor int
	sums           [][]int32
}

func integer(w, gen, i int) int32 {
	return int32(uint32(w+1)*2654435761 + uint32(gen)*40503 + uint32(i)*1_000_003)
}

func (c *intCore) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	q := make([]int32, c.tensor)
	for i := range q {
		q[i] = integer(c.worker, gen, i)
	}
	c.BeginInts(now, gen, q, eff)
}

func (c *intCore) Finish(int) (result.Outcome, func([]float32)) {
	c.sums = append(c.sums, slices.Clone(c.Sums()))
	return result.Outcome{}, func([]float32) {}
}

// Jobs of int32 have no extra batch, as in the public client: integers go as they are, without exponents,
// and come back as wrapping sums, whatever is lost.
func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.ints = true
		rate := rapid.SampledFrom([]float64{0, 0, 0.2}).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		p.drop = func(int, bool, sansio.Train) bool { return stream.Bernoulli(rate) }
		r := newRig(t, p)
		mustBeDone(t, r)
		for w, h := range r.hosts {
			for g, sums := range h.Core.(*intCore).sums {
				for i, got := range sums {
					var want int32
					for v := range r.n {
						want += integer(v, g, i)
					}
					if got != want {
						t.Fatalf("worker %d, generation %d: sum %d is %d, want %d", w, g, i, got, want)
					}
				}
			}
			for _, h := range r.packets[w] {
				if h.E0 != gradient.ExponentNone {
					t.Fatalf("a packet carries exponent %d", h.E0)
				}
			}
			if again := count(r.cores[w], switchml.CountRetransmits); r.up[w].Frames-again != r.gens*r.blocks() {
				t.Fatalf("worker %d sent %d packets, %d of them again, for %d blocks", w, r.up[w].Frames, again, r.gens*r.blocks())
			}
		}
	})
}
