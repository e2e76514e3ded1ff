package switchml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/nodes/gradient"
)

// A run that carries unstored values in most blocks takes the same time, the same
// packets and the same bytes as one that carries all values, whatever is lost,
// and the sums that it does carry are right.
func TestLengthsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		rate := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "loss")
		run := func(every int) *rig {
			p.every = every
			losses := rng.Root(5).Stream("loss")
			p.drop = func(int, bool, sansio.Train) bool { return losses.Bernoulli(rate) }
			r := newRig(t, p)
			if !r.run(t) {
				t.Fatal("not all workers are done")
			}
			return r
		}
		full, part := run(1), run(rapid.IntRange(2, 6).Draw(t, "every"))
		if a, b := full.net.Now(), part.net.Now(); a != b {
			t.Fatalf("with all values the run ends at %v, with lengths at %v", a, b)
		}
		for w := range p.n {
			if a, b := full.up[w], part.up[w]; a.Frames != b.Frames || a.Bytes != b.Bytes || a.Lost != b.Lost {
				t.Fatalf("worker %d sends %d frames of %v with all values, %d of %v with lengths", w, a.Frames, a.Bytes, b.Frames, b.Bytes)
			}
		}
		part.checkHeld(t)
	})
}

// checkHeld holds the sums that were carried against what was sent.
func (r *rig) checkHeld(t rapid.TB) {
	t.Helper()
	held := gradient.Sampling{Every: r.every}.Elements(r.tensor, elements)
	for g := range r.gens {
		for i := range held {
			sum := int32(0)
			for w := range r.n {
				sum += r.rec[w].Out[g][i]
			}
			for w := range r.n {
				if got := r.rec[w].In[g]; len(got) != held || got[i] != sum {
					t.Fatalf("worker %d, generation %d, element %d of %d: sum %d, want %d", w, g, i, len(got), got[i], sum)
				}
			}
		}
	}
}
