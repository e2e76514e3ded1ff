package chip

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// oneGoroutine skips a test where the race detector runs, which makes it many times slower and finds nothing in one goroutine.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many times slower under the race detector, which has nothing to find in one goroutine")
	}
}

// The experiments on emulated chips measure all that they list, with the verdicts
// that the ledger expects, and their figures can be drawn.
func TestChips(t *testing.T) {
	long := []string{"trio.graceful", "trio.fig15", "trio.fig16", "switchml.hierarchy", "switchml.s1.line-rate", "switchml.resources"}
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
