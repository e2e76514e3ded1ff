package vec

import "golang.org/x/sys/cpu"

// available lists the variants that this processor and operating system run,
// fastest first. x/sys/cpu reports a feature only if the operating system saves
// its registers.
func available() []Impl {
	var impls []Impl
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		impls = append(impls, Impl{
			Name:         "avx512",
			addBE:        addBEAVX512,
			addSatBE:     addSatBE,
			putBE:        putBEAVX512,
			getBE:        getBEAVX512,
			axpy:         axpyAVX512,
			quantise:     quantiseAVX512,
			mean:         meanAVX512,
			maxMagnitude: maxMagnitudeAVX512,
		})
	}
	if cpu.X86.HasAVX2 {
		impls = append(impls, Impl{
			Name:         "avx2",
			addBE:        addBEAVX2,
			addSatBE:     addSatBE,
			putBE:        putBEAVX2,
			getBE:        getBEAVX2,
			axpy:         axpyAVX2,
			quantise:     quantiseAVX2,
			mean:         meanAVX2,
			maxMagnitude: maxMagnitudeAVX2,
		})
	}
	return append(impls, portable())
}

// The kernels trust their caller: lengths are checked by the methods of Impl.

//go:noescape
func addBEAVX512(dst, src []byte)

//go:noescape
func putBEAVX512(dst []byte, src []int32)

//go:noescape
func getBEAVX512(dst []int32, src []byte)

//go:noescape
func axpyAVX512(dst []float32, a float32, x []float32)

//go:noescape
func quantiseAVX512(dst []int32, src []float32, f float64) (marked bool)

//go:noescape
func meanAVX512(dst []float32, src []int32, divisor float64)

//go:noescape
func maxMagnitudeAVX512(src []float32) uint32

//go:noescape
func addBEAVX2(dst, src []byte)

//go:noescape
func putBEAVX2(dst []byte, src []int32)

//go:noescape
func getBEAVX2(dst []int32, src []byte)

//go:noescape
func axpyAVX2(dst []float32, a float32, x []float32)

//go:noescape
func quantiseAVX2(dst []int32, src []float32, f float64) (marked bool)

//go:noescape
func meanAVX2(dst []float32, src []int32, divisor float64)

//go:noescape
func maxMagnitudeAVX2(src []float32) uint32
