package switchml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
)

func integer(w, gen, i int) int32 {
	return int32(uint32(w+1)*2654435761 + uint32(gen)*40503 + uint32(i)*1_000_003)
}

// integers reduces tensors of integer with a core, in place of floats.
func integers(core sansiotest.IntCore, worker, tensor int) *sansiotest.Ints {
	return &sansiotest.Ints{IntCore: core, Tensor: func(gen int) []int32 {
		q := make([]int32, tensor)
		for i := range q {
			q[i] = integer(worker, gen, i)
		}
		return q
	}}
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
			for g, sums := range h.Core.(*sansiotest.Ints).Got {
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
