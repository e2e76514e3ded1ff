package worker

import (
	"math"
	"testing"
)

// Sums of 256 workers of small values fit an int32, and are more than those of the sign alone; those
// of other values wrap. Workers, and those of another job, contribute different values.
func TestPatternOfBenchmarks(t *testing.T) {
	for _, small := range []bool{false, true} {
		c, other := BenchConfig{Small: small}, BenchConfig{Small: small, First: 200}
		var largest int64
		for i := range 2000 {
			var sum int64
			for w := range 256 {
				sum += int64(c.pattern(w, i))
			}
			largest = max(largest, sum, -sum)
			if c.pattern(0, i) == c.pattern(1, i) || c.pattern(0, i) == other.pattern(0, i) {
				t.Errorf("small %v: two workers contribute %d at element %d", small, c.pattern(0, i), i)
			}
		}
		if fits := largest <= math.MaxInt32; fits != small || largest < 1<<24 {
			t.Errorf("small %v: sums up to %d", small, largest)
		}
	}
}
