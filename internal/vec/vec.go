package vec

import (
	"slices"
	"strconv"
)

// impls are the variants that run here, fastest first; it never changes.
var impls = available()

// Impl is one variant of every operation. Values come from [Variants]; the
// methods have the contracts of the package functions of the same name.
type Impl struct {
	Name string // "avx512", "avx2" or "go"

	addBE        func(dst, src []byte)
	addSatBE     func(dst, src []byte) bool
	putBE        func(dst []byte, src []int32)
	getBE        func(dst []int32, src []byte)
	axpy         func(dst []float32, a float32, x []float32)
	quantise     func(dst []int32, src []float32, f float64) bool
	mean         func(dst []float32, src []int32, divisor float64)
	maxMagnitude func(src []float32) uint32
}

// Variants returns every variant that this processor runs, fastest first; the
// first is the one behind the package functions and the last is "go".
func Variants() []Impl { return slices.Clone(impls) }

// Variant names the variant behind the package functions.
func Variant() string { return impls[0].Name }

// AddBE adds src to dst: both are big-endian int32, sums wrap around.
func AddBE(dst, src []byte) { impls[0].AddBE(dst, src) }

// AddSatBE adds src to dst: both are big-endian int32, sums beyond the range are its end. An
// element that is an end of the range already, in dst or else in src, stays so whatever is added:
// it stands for a sum that is not known. It reports whether dst has such elements afterwards.
func AddSatBE(dst, src []byte) (saturated bool) { return impls[0].AddSatBE(dst, src) }

// PutBE writes src to dst in big-endian order; len(dst) is 4*len(src).
func PutBE(dst []byte, src []int32) { impls[0].PutBE(dst, src) }

// GetBE reads the big-endian src into dst; len(src) is 4*len(dst).
func GetBE(dst []int32, src []byte) { impls[0].GetBE(dst, src) }

// Axpy sets dst[i] to dst[i] + float32(a*x[i]): two roundings, never a fused
// multiply-add. A result that is not a number is stored as 0x7fc00000. With
// that the result has the same bits on every processor.
func Axpy(dst []float32, a float32, x []float32) { impls[0].Axpy(dst, a, x) }

// AddBE is [AddBE] in this variant.
func (v *Impl) AddBE(dst, src []byte) {
	checkWire("AddBE", len(dst), len(src))
	v.addBE(dst, src)
}

// AddSatBE is [AddSatBE] in this variant.
func (v *Impl) AddSatBE(dst, src []byte) (saturated bool) {
	checkWire("AddSatBE", len(dst), len(src))
	return v.addSatBE(dst, src)
}

// PutBE is [PutBE] in this variant.
func (v *Impl) PutBE(dst []byte, src []int32) {
	checkEqual("PutBE", len(dst), elem*len(src))
	v.putBE(dst, src)
}

// GetBE is [GetBE] in this variant.
func (v *Impl) GetBE(dst []int32, src []byte) {
	checkEqual("GetBE", elem*len(dst), len(src))
	v.getBE(dst, src)
}

// Axpy is [Axpy] in this variant.
func (v *Impl) Axpy(dst []float32, a float32, x []float32) {
	checkEqual("Axpy", elem*len(dst), elem*len(x))
	v.axpy(dst, a, x)
}

// checkWire panics unless two byte slices hold the same whole number of
// elements.
func checkWire(op string, dst, src int) {
	if dst != src || dst%elem != 0 {
		badLengths(op, dst, src)
	}
}

// checkEqual panics unless two sizes in bytes agree.
func checkEqual(op string, dst, src int) {
	if dst != src {
		badLengths(op, dst, src)
	}
}

// badLengths is apart from the checks so that these inline.
func badLengths(op string, dst, src int) {
	panic("vec: " + op + " of " + strconv.Itoa(src) + " bytes into " + strconv.Itoa(dst) +
		" bytes: pass slices of equal size, a multiple of " + strconv.Itoa(elem) + " bytes")
}
