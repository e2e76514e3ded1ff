// Package gradient turns gradients into the integers that switches add, and
// sums back into gradients.
//
// Two quantisers are here. [Fixed] multiplies by one factor, 1e8, as Trio-ML
// does after ATP (Trio §4; ATP §3.8). The block scale of SwitchML (§4.6, App E)
// picks a factor for each block from the largest exponent among the workers:
// [Exponent] and [BlockFactor], or another [Rule]. Values of 16 bits have their
// own: [Fixed16], two of which share an int32 of a packet, and [Half], IEEE 754
// binary16.
//
// What is no number is defined everywhere: NaN counts as zero, in exponents too,
// an infinity as the largest float32, and both count as saturated. A block of
// zeros has [ExponentNone], and a subnormal number the exponent -126.
//
// All arithmetic is in float64 with one rounding to the nearest integer, ties
// to even, so that every machine gives the same integers. What does not fit an
// int32 saturates and is counted.
package gradient

import (
	"cmp"
	"math"

	"github.com/inalab/inalab/internal/vec"
)

// Fixed is fixed-point quantisation by one factor.
type Fixed struct {
	Factor float64 // units per 1.0; zero means DefaultFactor
}

// DefaultFactor is the scaling factor of ATP (§3.8), which Trio-ML adopts (§4).
const DefaultFactor = 1e8

// Quantise writes round(v*Factor) for each v of g to q, which has the same
// length, and returns how many values did not fit and saturated.
func (f Fixed) Quantise(q []int32, g []float32) (saturated int) {
	return QuantiseBlock(q, g, f.factor())
}

// Mean writes sum/(Factor*workers) for each sum to g.
func (f Fixed) Mean(g []float32, sum []int32, workers int) {
	mean(g, sum, float64(f.factor()*float64(workers)))
}

func (f Fixed) factor() float64 { return cmp.Or(f.Factor, DefaultFactor) }

// ExponentNone is the exponent of a block without any value but zero, or of no
// block at all: it never wins a maximum.
const ExponentNone int8 = math.MinInt8

// Exponent returns e, the smallest with 2^e > |v| for every v of g: the biased
// exponent of the largest magnitude less 126. Below the normal numbers it stays
// at -126. NaN counts as zero. The largest exponent, 127, stands for all
// magnitudes from 2^126 up, infinity among them; [BlockFactor] knows that.
func Exponent(g []float32) int8 { return AppendixE.Exponent(g) }

// BlockFactor returns SwitchML's scaling factor for n workers whose blocks have
// magnitudes below 2^e: (2^31-n)/(n*2^e). The bound of Appendix E, Theorem 2 is
// taken rather than §4.6's (2^31-1)/(n*2^m), since n values that are rounded up
// could sum to 2^31, one more than an int32 holds. The largest exponent is taken
// as 128, since float32 magnitudes of 2^127 and more have no int8 of their own.
func BlockFactor(n int, e int8) float64 {
	return blockFactor((math.MaxInt32+1-float64(n))/float64(n), e)
}

// blockFactor divides by 2^e.
func blockFactor(share float64, e int8) float64 {
	m := int(e)
	if e == math.MaxInt8 {
		m++
	}
	return math.Ldexp(share, -m)
}

// MeanBlock writes sum/(f*workers) for each sum to g.
func MeanBlock(g []float32, sum []int32, f float64, workers int) {
	mean(g, sum, float64(f*float64(workers)))
}

// run is how many elements are converted at a time: few enough to stay in the L1
// cache and to let the garbage collector in between, since the loops of vec cannot
// be preempted.
const run = 2048

// QuantiseBlock writes round(v*f) for each v of g to q and returns how many
// values saturated.
func QuantiseBlock(q []int32, g []float32, f float64) (saturated int) {
	for len(g) > 0 {
		n := min(run, len(g))
		if vec.Quantise(q[:n], g[:n], f) {
			saturated += saturateMarks(q[:n], g[:n], f)
		}
		q, g = q[n:], g[n:]
	}
	return saturated
}

// saturateMarks replaces the marks that vec left in q for what does not fit, and returns
// how many there were.
func saturateMarks(q []int32, g []float32, f float64) (saturated int) {
	for i, v := range g {
		if q[i] == math.MinInt32 && !fits(float64(float64(v)*f)) {
			q[i] = saturate(v, f)
			saturated++
		}
	}
	return saturated
}

// fits reports whether r rounds to an int32. Ties go to even: MaxInt32+0.5 would
// round up, MinInt32-0.5 to MinInt32.
func fits(r float64) bool { return r < math.MaxInt32+0.5 && r >= math.MinInt32-0.5 }

// saturate returns what stands for v*f that does not fit. An infinity is the
// largest float32 first: under a block's factor that is small enough for the
// sum over all workers, where limits of int32 would wrap to nonsense.
func saturate(v float32, f float64) int32 {
	r := float64(float64(max(-math.MaxFloat32, min(math.MaxFloat32, v))) * f)
	switch {
	case r != r: // NaN
		return 0
	case r >= math.MaxInt32+0.5:
		return math.MaxInt32
	case r < math.MinInt32-0.5:
		return math.MinInt32
	}
	return int32(math.RoundToEven(r))
}

func mean(g []float32, sum []int32, divisor float64) {
	for len(sum) > 0 {
		n := min(run, len(sum))
		vec.Mean(g[:n], sum[:n], divisor)
		g, sum = g[n:], sum[n:]
	}
}
