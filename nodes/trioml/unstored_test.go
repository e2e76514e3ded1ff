package trioml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
)

// A run that carries unstored values in most blocks takes the same time and the
// same bytes as one that carries all values, stragglers or not, and the sums
// that it does carry are right.
func TestLengthsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		if rapid.Bool().Draw(t, "straggler") {
			late := rapid.IntRange(0, p.gens-1).Draw(t, "late generation")
			p.ready = func(w, g int) units.Time {
				return units.Time(g)*ms/10 + map[bool]units.Time{true: 35 * ms}[w == 0 && g == late]
			}
		}
		run := func(every int) *rig {
			p.every = every
			r := newRig(t, p)
			if !r.run(t, units.Time(10*units.Second)) {
				t.Fatal("not all workers are done")
			}
			return r
		}
		full, part := run(1), run(rapid.IntRange(2, 6).Draw(t, "every"))
		if a, b := full.net.Now(), part.net.Now(); a != b {
			t.Fatalf("with all values the run ends at %v, with lengths at %v", a, b)
		}
		for w := range p.workers() {
			if a, b := full.up[w], part.up[w]; a.Frames != b.Frames || a.Bytes != b.Bytes {
				t.Fatalf("worker %d sends %d frames of %v with all values, %d of %v with lengths", w, a.Frames, a.Bytes, b.Frames, b.Bytes)
			}
		}
		part.checkHeld(t)
	})
}

// checkHeld holds the sums that were carried against what the contributors sent.
func (r *rig) checkHeld(t rapid.TB) {
	t.Helper()
	masks, sample := r.masks(), gradient.Sampling{Every: r.every}
	for g := range r.gens {
		for b := range r.blocks() {
			if !sample.Carries(b) {
				continue
			}
			lo, hi := sample.Span(b, r.tensor, r.grads)
			for i := lo; i < hi; i++ {
				sum := int32(0)
				for w := range r.workers() {
					if masks[[2]int{g, b}].Has(uint8(w)) {
						sum += r.rec[w].Out[g][i]
					}
				}
				for w := range r.workers() {
					if got := r.rec[w].In[g][i]; got != sum {
						t.Fatalf("worker %d, generation %d, block %d: sum %d, want %d", w, g, b, got, sum)
					}
				}
			}
		}
	}
}
