package switchml

import "testing"

// The limits are what their rule says: the largest sum fits an int32 after rounding,
// that of twice as many workers does not, and the switch has a bitmap of as many bits.
func TestHalfLimits(t *testing.T) {
	if HalfLimit != 2 || HalfWorkers != 32 {
		t.Errorf("values below %d of %d workers, want 2 and 32", HalfLimit, HalfWorkers)
	}
	const largest = int64(1<<11-1) << (HalfCode - 1) // of a code and 10 bits behind the leading one
	if largest >= HalfLimit<<HalfUnitBits || largest<<1 < HalfLimit<<HalfUnitBits {
		t.Errorf("the largest value is %d units, the limit %d", largest, HalfLimit<<HalfUnitBits)
	}
	rounded := func(n int64) int64 { // up to 11 bits, away from zero
		sum, last := n*largest, int64(1)
		for sum/last >= 1<<11 {
			last *= 2
		}
		return (sum + last - 1) / last * last
	}
	if rounded(HalfWorkers) > 1<<30 {
		t.Errorf("%d workers: a sum of %d", HalfWorkers, rounded(HalfWorkers))
	}
	if limit := int64(HalfLimit) << HalfUnitBits; 2*HalfWorkers*limit <= 1<<31-1 {
		t.Error("twice as many workers fit")
	}
}
