package pktio

import (
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// Lateness sums up by how much deadlines were missed. Quantiles are upper
// bounds that exceed the true value by at most 1/16; Max is exact.
type Lateness struct {
	Count uint64         `json:"count"`
	P50   units.Duration `json:"p50_ps"`
	P95   units.Duration `json:"p95_ps"`
	P99   units.Duration `json:"p99_ps"`
	Max   units.Duration `json:"max_ps"`
}

// Sub-buckets of each power of two: quantiles are right to 1/16.
const (
	subBits    = 4
	subBuckets = 1 << subBits
)

// histogram counts durations of whole nanoseconds in buckets whose width grows
// with the value: exact below 16 ns, 16 buckets for each power of two above.
type histogram struct {
	counts [(64 - subBits) * subBuckets]uint64
	n      uint64
	max    units.Duration
}

func (h *histogram) add(d units.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(uint64(d/units.Nanosecond))]++
	h.n++
	h.max = max(h.max, d)
}

func bucketOf(ns uint64) int {
	if ns < subBuckets {
		return int(ns)
	}
	shift := bits.Len64(ns) - 1 - subBits
	return shift<<subBits + int(ns>>shift)
}

// bucketEnd returns the largest number of nanoseconds that falls into bucket i.
func bucketEnd(i int) uint64 {
	if i < subBuckets {
		return uint64(i)
	}
	shift := i>>subBits - 1
	return uint64(subBuckets+i&(subBuckets-1)+1)<<shift - 1
}

// quantile returns an upper bound of the value that a fraction q of all lies at
// or below, 0 where there is none.
func (h *histogram) quantile(q float64) units.Duration {
	rank := max(1, uint64(math.Ceil(q*float64(h.n))))
	var seen uint64
	for i, c := range h.counts {
		if seen += c; seen >= rank {
			return min(h.max, units.Duration(bucketEnd(i)+1)*units.Nanosecond)
		}
	}
	return h.max
}

func (h *histogram) summary() Lateness {
	return Lateness{Count: h.n, P50: h.quantile(0.50), P95: h.quantile(0.95), P99: h.quantile(0.99), Max: h.max}
}
