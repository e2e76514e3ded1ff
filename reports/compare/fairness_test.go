package compare

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/stat"
)

// Rates of 3 and 1 have the index 16/20; a job of another model, a job alone, the ideal and what
// is not to be believed have no part in it.
func TestFairness(t *testing.T) {
	row := func(system, job, model string, ms float64) Row {
		return Row{System: system, Job: job, Model: model, Topology: "rack", Seed: 1, Iter: stat.Mean([]float64{ms, ms})}
	}
	ideal := row("ring", "a", "small", 1)
	ideal.Computed = true
	invalid := row("ring", "d", "small", 1)
	invalid.Fidelity.Verdict = result.Invalid
	got := strings.Join(Fairness([]Row{
		row("ring", "a", "small", 100), row("ring", "b", "small", 300), row("ring", "c", "large", 900), ideal, row("other", "", "small", 5), invalid,
	}), "\n")
	if want := "fairness, ring on rack at p=0%, seed 1, small: Jain's index over the rates of iterations of 2 jobs is 0.800"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
