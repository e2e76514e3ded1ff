// Package vec holds the element-wise loops of aggregation: add a packet's int32
// gradients to a slot, convert between host, wire and float32, update a model.
// Vector instructions are about ten times as fast as a loop in Go. So each loop
// has three variants, and the processor selects one when the program starts:
//
//	variant  needs                 elements a step  last elements
//	avx512   AVX512F and AVX512BW  64, then 16      masked
//	avx2     AVX2                  32, then 8       masked
//	go       nothing               1 or 2           the same loop
//
// All variants give the same bits for the same input. A float32 product and sum
// are therefore two roundings, never a fused multiply-add, and denormals are kept.
//
// Conversions compute in float64, and take half as many elements a step. AddSatBE is the loop in Go
// in every variant.
//
// Duties of the caller:
//
//  1. Pass slices of equal size, byte slices a multiple of 4. Anything else panics
//     before a byte is written. Zero elements and unaligned slices are fine.
//  2. Pass the same slice as dst and src, or slices that do not overlap.
//  3. Keep buffers in an object: calls go through a table, so a local array that
//     is passed to one escapes to the heap.
//
// The assembly loops cannot be preempted. A call on a megabyte can delay the garbage
// collector by some hundred microseconds (assumed: memory at 10 GB/s).
//
// Left out: the sum over one vector, whose result would depend on the register
// width; float16; NEON assembly, for which the Go loops serve.
package vec
