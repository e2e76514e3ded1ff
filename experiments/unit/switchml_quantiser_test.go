package unit

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/nodes/gradient"
)

// With the formula of §4.6, sums of values that meet their bound overflow; with the
// other two rules none does. Among the numbers of workers are 2, 4, 8, 16, 32, 64.
func TestRulesOnTheWorstBlocks(t *testing.T) {
	for rule, overflow := range map[string]bool{"appendix-e": false, "section-4.6": true, "floor": false} {
		var w worstSums
		for n := 1; n <= maxWorkers; n++ {
			w.add(worstOf(gradient.Rule(rule), n))
		}
		if w.sums == 0 || (w.above > 0) != overflow || overflow && w.workers < 6 {
			t.Errorf("%s: %+v", rule, w)
		}
	}
	e := experimenttest.NewEnv(t)
	l := experimenttest.Ledger(t)
	var err error
	if e.Readings, err = l.Readings([]string{"switchml.f-overflow=section-4.6"}); err != nil {
		t.Fatal(err)
	}
	var f experiment.Findings
	theorems(&f, e)
	if n, ok := f.Measured["switchml.appE.thm2"].Number(); !ok || n == 0 {
		t.Errorf("no sum overflows with the factor of section 4.6: %v", f.Measured["switchml.appE.thm2"])
	}
}
