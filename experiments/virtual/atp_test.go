package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// Runs of several ATP jobs, cut as a quick run cuts them, come out as the ledger expects.
func TestATPTenantFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, x := range []experiment.Experiment{atpFig13a(), atpFig14(), atpFig15(), atpFig13b(), atpD2(), atpFig16(), atpFig12(), atpChip()} {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}
