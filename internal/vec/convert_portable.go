package vec

import "math"

// quantise takes four values at a time, so that the processor need not end one
// before it begins the next.
func quantise(dst []int32, src []float32, f float64) (marked bool) {
	dst = dst[:len(src)]
	least := int32(0)
	for len(src) >= 4 && len(dst) >= 4 {
		a, b, c, d := nearest(src[0], f), nearest(src[1], f), nearest(src[2], f), nearest(src[3], f)
		dst[0], dst[1], dst[2], dst[3] = a, b, c, d
		least = min(least, a, b, c, d)
		dst, src = dst[4:], src[4:]
	}
	for i, v := range src {
		dst[i] = nearest(v, f)
		least = min(least, dst[i])
	}
	return least == math.MinInt32
}

// nearest returns the int32 nearest to v*f, ties to even, and math.MinInt32 if
// there is none. Adding 1.5*2^52 to a float64 rounds it and puts the integer into
// the lowest bits, as a difference from those of 1.5*2^52; what is too large for
// an int32, or NaN, differs by more than an int32. The conversion of the product
// forbids a fused multiply-add (Go spec, Floating-point operators).
func nearest(v float32, f float64) int32 {
	const magic = 3 << 51
	const magicBits = 0x4338 << 48
	r := int64(math.Float64bits(float64(float64(v)*f)+magic)) - magicBits
	if r != int64(int32(r)) {
		return math.MinInt32
	}
	return int32(r)
}

func mean(dst []float32, src []int32, divisor float64) {
	dst = dst[:len(src)]
	for i, s := range src {
		dst[i] = float32(float64(s) / divisor)
	}
}

// infinity is the largest magnitude that is not a NaN: bits of magnitudes order
// like the magnitudes, and the NaNs stand above.
const infinity = 0x7f800000

func maxMagnitude(src []float32) uint32 {
	top := uint32(0)
	for _, v := range src {
		if m := math.Float32bits(v) &^ (1 << 31); m > top && m <= infinity {
			top = m
		}
	}
	return top
}
