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

// Jobs of one model have a part in it whatever their systems; the same jobs beside others are
// another run.
func TestFairnessOfALabOfSeveralSystems(t *testing.T) {
	row := func(system, job, lab string, ms float64) Row {
		return Row{System: system, Job: job, Lab: lab, Model: "small", Topology: "rack", Seed: 1, Iter: stat.Mean([]float64{ms, ms})}
	}
	got := strings.Join(Fairness([]Row{
		row("ring", "a", "ring + x", 100), row("ring", "a", "ring + y", 100), row("x", "b", "ring + x", 300), row("y", "b", "ring + y", 100),
	}), "\n")
	want := "fairness, ring + x on rack at p=0%, seed 1, small: Jain's index over the rates of iterations of 2 jobs is 0.800\n" +
		"fairness, ring + y on rack at p=0%, seed 1, small: Jain's index over the rates of iterations of 2 jobs is 1.000"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
