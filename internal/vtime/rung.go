package vtime

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// buckets is the number of buckets of a rung, 2^bucketBits: as many as a word
// has bits, so that the next one in use is found at once. Widths are powers of
// two as well, so that a shift finds the bucket of a time.
const (
	bucketBits = 6
	buckets    = 1 << bucketBits
)

// rung divides a stretch of time into buckets of one width.
type rung struct {
	start  units.Time
	end    units.Time // pushes for this time or later go to the rung above
	shift  uint8      // a bucket is 2^shift ps wide
	used   uint64     // bit i is set when bucket i holds events
	bucket [buckets]list
}

// newRung returns a rung with the finest buckets that have room for all times
// from start to last.
//
// The last time may be end itself: events for that time that were pushed before
// all that the rung above holds for it.
func newRung(start, last, end units.Time) rung {
	length := bits.Len64(uint64(last) - uint64(start))
	return rung{start: start, end: end, shift: uint8(max(length-bucketBits, 0))}
}

// bucketFor returns the bucket for a time, and marks it as used.
func (r *rung) bucketFor(at units.Time) *list {
	i := (uint64(at) - uint64(r.start)) >> (r.shift & 63) % buckets
	r.used |= 1 << i
	return &r.bucket[i]
}

// next returns the first bucket in use; buckets when there is none.
func (r *rung) next() int { return bits.TrailingZeros64(r.used) }

// span returns the first time of a bucket and the one after its last, or the
// end of the rung where that comes first.
func (r *rung) span(i int) (from, to units.Time) {
	start := uint64(r.start) + uint64(i)<<r.shift
	width := min(uint64(1)<<r.shift, uint64(r.end)-start)
	return units.Time(start), units.Time(start + width)
}

// divide returns the empty rung that divides bucket i.
func (r *rung) divide(i int) rung {
	from, to := r.span(i)
	last := to
	if to != r.end {
		last-- // only the last bucket may hold events for its end
	}
	return newRung(from, last, to)
}
