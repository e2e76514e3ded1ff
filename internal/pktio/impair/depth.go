package impair

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// depth is a record of how many bytes waited for how long.
type depth struct {
	since units.Time     // the record goes until here
	hi    uint64         // bytes times picoseconds, summed up: the upper word
	lo    uint64         // and the lower
	times *[steps]uint64 // picoseconds for which the depth was in each step; nil: nothing ever waited
	max   units.Bytes
}

// Depths are recorded in steps of which each power of two has 16, and those below 16 bytes
// one for each byte: a depth is known to 6%.
const (
	stepBits = 4
	steps    = (40 - stepBits + 1) << stepBits // up to 1 TiB
)

// step returns the step that a depth is in.
func step(b units.Bytes) int {
	n := uint64(min(b, 1<<40-1))
	shift := max(0, bits.Len64(n)-stepBits-1)
	return shift<<stepBits + int(n>>shift)
}

// lowest returns the least depth of a step.
func lowest(step int) units.Bytes {
	shift := max(0, step>>stepBits-1)
	return units.Bytes(step-shift<<stepBits) << shift
}

// until says that b bytes, more than none, waited until t.
func (d *depth) until(t units.Time, b units.Bytes) {
	span := uint64(t - d.since)
	d.since = t
	if span == 0 {
		return
	}
	hi, lo := bits.Mul64(span, uint64(b))
	var carry uint64
	d.lo, carry = bits.Add64(d.lo, lo, 0)
	d.hi += hi + carry
	if d.times == nil {
		d.times = new([steps]uint64)
	}
	d.times[step(b)] += span
	d.max = max(d.max, b)
}

// Depth says how many bytes waited for a line over some time.
type Depth struct {
	Mean units.Bytes // rounded down
	P99  units.Bytes // for 99% of the time no more waited, to 6%
	Max  units.Bytes
}

// sum sums up the record over so much time; nothing waits since the last entry.
func (d *depth) sum(over units.Duration) (out Depth) {
	if over <= 0 || d.times == nil {
		return out
	}
	mean, _ := bits.Div64(d.hi%uint64(over), d.lo, uint64(over))
	out.Mean, out.Max = units.Bytes(mean), d.max
	rest := uint64(over) / 100 // the deepest hundredth
	for i := steps - 1; i > 0; i-- {
		if d.times[i] > rest {
			out.P99 = min(lowest(i+1)-1, d.max)
			break
		}
		rest -= d.times[i]
	}
	return out
}
