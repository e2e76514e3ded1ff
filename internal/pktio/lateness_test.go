package pktio

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

func TestBucketsCoverAllDurations(t *testing.T) {
	prev := -1
	for _, ns := range []uint64{0, 1, 15, 16, 17, 31, 32, 33, 34, 1000, 1e6, 1e9, math.MaxInt64} {
		i := bucketOf(ns)
		if i <= prev && ns > 33 || i < prev || i >= len(histogram{}.counts) {
			t.Errorf("%d ns falls into bucket %d after bucket %d", ns, i, prev)
		}
		if end := bucketEnd(i); end < ns || end > ns+ns/16 {
			t.Errorf("%d ns falls into the bucket that ends at %d", ns, end)
		}
		prev = i
	}
}

func TestQuantilesBoundTheTrueOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.SliceOfN(rapid.Int64Range(0, 1e12), 1, 200).Draw(t, "ns")
		var h histogram
		for _, v := range ns {
			h.add(units.Duration(v) * units.Nanosecond)
		}
		slices.Sort(ns)
		for _, q := range []float64{0.5, 0.99} {
			truth := ns[max(1, int(math.Ceil(q*float64(len(ns)))))-1]
			got := int64(h.quantile(q) / units.Nanosecond)
			if got < truth || got > truth+truth/16+1 {
				t.Fatalf("quantile %v of %v = %d, want %d", q, ns, got, truth)
			}
		}
		if s := h.summary(); s.Count != uint64(len(ns)) || s.Max != units.Duration(ns[len(ns)-1])*units.Nanosecond {
			t.Fatalf("summary %+v", s)
		}
	})
}

func TestNothingWasLate(t *testing.T) {
	var h histogram
	if s := h.summary(); s != (Lateness{}) {
		t.Errorf("empty histogram sums up to %+v", s)
	}
	h.add(-5)
	if s := h.summary(); s != (Lateness{Count: 1}) {
		t.Errorf("an early Expire sums up to %+v", s)
	}
}
