package gradient_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/nodes/gradient"
)

// The blocks that carry values lie one behind another, without gap or overlap,
// and fill what is held to the last element.
func TestSamplingIsContiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "elements")
		size := rapid.IntRange(1, 40).Draw(t, "block")
		s := gradient.Sampling{Every: rapid.IntRange(0, 9).Draw(t, "every")}
		end, carried := 0, 0
		for b := 0; b*size < n; b++ {
			if !s.Carries(b) {
				continue
			}
			lo, hi := s.Span(b, n, size)
			if lo != end || hi-lo != min(size, n-b*size) || s.Held(b) != carried {
				t.Fatalf("block %d lies at %d to %d, number %d; the one before ended at %d", b, lo, hi, s.Held(b), end)
			}
			end, carried = hi, carried+1
		}
		if got := s.Elements(n, size); got != end {
			t.Fatalf("%d elements held, the blocks end at %d", got, end)
		}
		if s.Every < 2 && end != n {
			t.Fatalf("all blocks carry values, but %d of %d elements are held", end, n)
		}
	})
}
