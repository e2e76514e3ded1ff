package compare

import (
	"math"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Rows of one setting are joined over their seeds; what is not to be believed, and what has one seed, is not.
func TestRepeats(t *testing.T) {
	row := func(system string, seed uint64, ms float64) Row {
		return Row{System: system, Seed: seed, Iter: stat.Estimate{Value: ms, N: 5}, Speedup: stat.Estimate{Value: ms / 10, N: 5}}
	}
	bad := row("ring", 4, 99)
	bad.Fidelity.Verdict = result.Invalid
	ideal := Row{System: Ideal, Seed: 1, Computed: true}
	got := Repeats([]Row{ideal, row("ring", 1, 10), row("ring", 2, 12), row("atp", 1, 7), bad, row("ring", 3, 14)})
	if len(got) != 1 || got[0].System != "ring" || len(got[0].Seeds) != 3 || got[0].Invalid != 1 {
		t.Fatalf("got %+v", got)
	}
	// Three values with a standard deviation of 2: t(0.975, 2) = 4.3027.
	if r := got[0]; r.Iter.Value != 12 || math.Abs(r.Iter.Half-4.3027*2/math.Sqrt(3)) > 1e-3 || math.Abs(r.Speedup.Value-1.2) > 1e-12 {
		t.Errorf("got %+v", r)
	}
}
