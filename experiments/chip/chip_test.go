package chip

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// The experiments on emulated chips measure all that they list, with the verdicts
// that the ledger expects, and their figures can be drawn.
func TestChips(t *testing.T) {
	long := []string{"trio.graceful", "trio.fig15", "trio.fig16", "switchml.hierarchy"}
	for _, x := range All() {
		t.Run(x.ID, func(t *testing.T) {
			if testing.Short() && slices.Contains(long, x.ID) {
				t.Skip("many times slower under the race detector, which shorter experiments here exercise as well")
			}
			t.Parallel()
			experimenttest.Run(t, &x)
		})
	}
}
