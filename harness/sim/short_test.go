package sim

import "testing"

// OneGoroutine skips a test where the race detector runs: it makes it many times slower, and has nothing to
// find in one goroutine.
func OneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many times slower under the race detector, which has nothing to find in one goroutine")
	}
}
