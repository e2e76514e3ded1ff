package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// Runs of several ATP jobs, cut as a quick run cuts them, come out as the ledger expects. Those that take
// half a minute each (Figs 10 and 12 to 16, and the chip's points) are left to inalab reproduce --quick; a point of
// each is in atpPoints.
func TestATPTenantFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, x := range []experiment.Experiment{atpD2()} {
		t.Run(x.ID, func(t *testing.T) {
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}
