package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// Runs of several ATP jobs, cut as a quick run cuts them, come out as the ledger expects. Those that take
// half a minute each (Figs 10, 13, 14 and 15, and the chip's points) are left to inalab reproduce --quick.
func TestATPTenantFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, x := range []experiment.Experiment{atpD2(), atpFig16(), atpFig12()} {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}
