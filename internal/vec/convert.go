package vec

// Quantise sets dst[i] to the int32 nearest to src[i]*f: the product is one of
// float64, and ties go to even. A product that does not round to an int32, or is
// NaN, is stored as math.MinInt32. It reports whether dst has a math.MinInt32,
// be it such a mark or a product of about -2^31: the caller tells them apart.
func Quantise(dst []int32, src []float32, f float64) (marked bool) {
	return impls[0].Quantise(dst, src, f)
}

// Mean sets dst[i] to float32(src[i]/divisor): a division of float64, rounded
// twice. The divisor is neither 0 nor NaN: the NaN that they give has bits that
// differ between processors.
func Mean(dst []float32, src []int32, divisor float64) { impls[0].Mean(dst, src, divisor) }

// MaxMagnitude returns the bits, without sign, of the largest magnitude in src:
// 0x7f800000 if there is an infinity, 0 if there is nothing but zeros and NaNs.
func MaxMagnitude(src []float32) uint32 { return impls[0].MaxMagnitude(src) }

// Quantise is [Quantise] in this variant.
func (v *Impl) Quantise(dst []int32, src []float32, f float64) (marked bool) {
	checkEqual("Quantise", elem*len(dst), elem*len(src))
	return v.quantise(dst, src, f)
}

// Mean is [Mean] in this variant.
func (v *Impl) Mean(dst []float32, src []int32, divisor float64) {
	checkEqual("Mean", elem*len(dst), elem*len(src))
	v.mean(dst, src, divisor)
}

// MaxMagnitude is [MaxMagnitude] in this variant.
func (v *Impl) MaxMagnitude(src []float32) uint32 { return v.maxMagnitude(src) }
