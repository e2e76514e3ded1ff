package proptest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Rounds draw different values, whatever the seed is.
func TestRoundsDiffer(t *testing.T) {
	seen, drawn := map[string]bool{}, 0
	values := rapid.SliceOfN(rapid.Uint64(), 8, 8)
	Rounds(t, 3, func(rt *rapid.T) {
		seen[fmt.Sprint(values.Draw(rt, "values"))] = true
		drawn++
	})
	if len(seen) < drawn*9/10 {
		t.Errorf("%d of %d draws differ", len(seen), drawn)
	}
}

// Until goes on as long as something has not come up, and no longer.
func TestUntilCovered(t *testing.T) {
	rounds := 0
	Until(t, func() bool { rounds++; return rounds == 3 }, func(*rapid.T) {})
	if rounds != 3 {
		t.Errorf("%d rounds; want 3", rounds)
	}
}
