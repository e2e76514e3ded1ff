package gradient

import (
	"math"

	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Half is SwitchML's 16-bit floating point (§4.6): packets carry IEEE 754
// binary16, the switch adds fixed-point values, and a table converts each way.
// The table takes half the range, magnitudes below wire.HalfLimit. Workers scale a block by a
// power of two to have at most wire.HalfMost, which costs no precision.
//
//	v --*2^-e, round--> binary16 --table--> units of 2^-24, added in int32 --table--> binary16
//
// 2^-24 is the last bit of the smallest binary16, so that the first table loses
// nothing. The second rounds a sum to the 11 bits of a binary16.
type Half struct{ Workers int }

// HalfUnit is how many units of the fixed-point value are 1.
const HalfUnit = 1 << wire.HalfUnitBits

// Factor returns how many units a worker's 1.0 is, for blocks with magnitudes below
// 2^e.
func (Half) Factor(e int8) float64 { return blockFactor(wire.HalfMost*HalfUnit, e) }

// Quantise writes what the switch makes of v*f as a binary16, in units, for each v
// of g to q, and returns how many values saturated, at wire.HalfMost.
func (Half) Quantise(q []int32, g []float32, f float64) (saturated int) {
	for i, v := range g {
		x := float64(float64(v)*f) / HalfUnit
		switch {
		case x != x:
			q[i] = 0
		case x > wire.HalfMost:
			q[i] = wire.HalfMost * HalfUnit
		case x < -wire.HalfMost:
			q[i] = -wire.HalfMost * HalfUnit
		default:
			q[i], _ = HalfToFixed(ToHalf(x))
			if v >= -math.MaxFloat32 && v <= math.MaxFloat32 {
				continue
			}
		}
		saturated++
	}
	return saturated
}

// ToHalf returns the binary16 nearest to v, ties to even; 65520 and more become
// infinite, NaN a quiet NaN.
func ToHalf(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 1 << 15
	}
	a := math.Abs(v)
	switch {
	case a != a:
		return sign | 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal; the largest may round up to the smallest normal number
		return sign | uint16(math.RoundToEven(a*HalfUnit))
	}
	fraction, exponent := math.Frexp(a) // a = fraction*2^exponent, fraction in [1/2, 1)
	mantissa := math.RoundToEven(fraction * 2048)
	return sign | uint16((exponent+14)<<10+int(mantissa)-1024) // 2048 carries into the exponent
}

// FromHalf returns the value of a binary16.
func FromHalf(h uint16) float32 {
	exponent, mantissa := int(h>>10&31), float64(h&1023)
	var a float64
	switch exponent {
	case 0:
		a = mantissa / HalfUnit
	case 31:
		if mantissa != 0 {
			return float32(math.NaN())
		}
		a = math.Inf(1)
	default:
		a = math.Ldexp(1024+mantissa, exponent-25)
	}
	if h>>15 != 0 {
		a = -a
	}
	return float32(a)
}

// HalfToFixed returns a binary16 in units of 2^-24. ok is false, and the value 0,
// for what has no place in an int32: 128 and more, infinities and NaN.
func HalfToFixed(h uint16) (v int32, ok bool) {
	x := float64(FromHalf(h)) * HalfUnit
	if x > -0x1p31 && x < 0x1p31 {
		return int32(x), true
	}
	return 0, false
}

// FixedToHalf returns the binary16 nearest to v units of 2^-24.
func FixedToHalf(v int32) uint16 { return ToHalf(float64(v) / HalfUnit) }

// HalfAnswer returns what becomes of a sum, in units, that a switch answers as the nearest
// binary16: the sum, rounded to 11 bits.
func HalfAnswer(sum int32) int32 {
	v, _ := HalfToFixed(FixedToHalf(sum))
	return v
}
