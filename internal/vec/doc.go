// Package vec holds the element-wise loops that all aggregation comes down to:
// add a packet's body of int32 gradients to a slot, convert between host and
// wire and between float32 and int32, and step a float32 model. Vector instructions are some ten times as fast
// here as a loop in Go, so each exists three times, and the processor picks:
//
//	variant  needs                 elements a step  last elements
//	avx512   AVX512F and AVX512BW  64, then 16      masked
//	avx2     AVX2                  32, then 8       masked
//	go       nothing               1 or 2           the same loop
//
// On anything but amd64 the only variant is go. The choice is made once, when
// the program starts. [Variants] lists those that run here, so that a test or a
// benchmark can call each; all give the same bits for the same input.
//
//	operation  dst             src              each element
//	AddBE      int32, big      int32, big       dst + src, wraps
//	PutBE      int32, big      []int32          src
//	GetBE      []int32         int32, big       src
//	Axpy       []float32       []float32 (x)    dst + float32(a*x), NaN is always 0x7fc00000
//	Quantise   []int32         []float32        nearest to src*f, MinInt32 where none is
//	Mean       []float32       []int32          src / divisor
//
// [MaxMagnitude] returns the largest of a []float32 instead. Conversions have
// float64 in between, and so take half as many elements a step.
//
// big is a []byte of 4 bytes an element:
//
//	AddBE   dst | 00 00 00 05 | ff ff ff ff | ...
//	        src | 00 00 00 02 | 00 00 00 01 | ...
//	        dst | 00 00 00 07 | 00 00 00 00 | ...
//
// The caller's duties:
//
//  1. Pass slices of one size, byte slices a multiple of 4; anything else is a
//     broken invariant of the caller and panics before a byte is written. Zero
//     elements are fine.
//  2. dst and src are the same slice or do not overlap.
//  3. Nothing need be aligned: behind an Ethernet header a body starts at an
//     even address at best.
//
// No operation allocates or keeps a slice. The calls go through a table,
// so the compiler moves a local array that is passed to one to the heap: keep
// buffers in the object that owns them. The assembly loops cannot be preempted:
// a call on a megabyte can delay the garbage collector by some hundred
// microseconds (assumed: memory at 10 GB/s).
//
// # Same bits everywhere
//
// A float32 product and sum are two roundings in every variant. A fused
// multiply-add has one, and a Go compiler may fuse on arm64 unless the product
// is converted explicitly (Go specification, "Floating-point operators").
// Denormals are kept: the Go runtime never sets the processor to flush them.
// The bits of a NaN are the processor's choice, so [Axpy] stores a constant.
// [Quantise] and [Mean] compute in float64, one rounding an operation; a quotient
// is divided, never multiplied by a reciprocal.
//
// # Left out
//
// There is no sum over the elements of one vector, because its result would
// depend on the width of the registers, as that of a maximum does not; no float16;
// no choice of a factor and no saturation of floats, which belong to the
// gradients; and no NEON assembly: the loops in Go serve arm64.
package vec
