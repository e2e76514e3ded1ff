// Package halving is all-reduce by recursive halving and doubling (Thakur, Rabenseifner
// and Gropp, IJHPCA 2005): as many bytes as a ring, in 2 log2(n) steps instead of
// 2(n-1).
//
// Reduce-scatter: in step s two workers whose ranks differ in bit s exchange halves of
// their chunks and add. After log2(n) steps each has the sum of 1/n of the tensor.
// All-gather: the same pairs, in reverse order, exchange all sums that they have.
//
//	8 workers, what rank 0 keeps            what it has
//	rank 1:  | 0 1 2 3 | . . . . |    ^     0 1 2 3 4 5 6 7
//	rank 2:  | 0 1 | . . |            |     0 1 2 3
//	rank 4:  | 0 | . |                |     0 1
//	         reduce-scatter, down     all-gather, up
//
// Let p be the largest power of two up to n. The first 2(n-p) workers pair up first:
// each adds one half of the tensor, and the odd worker gives its sums to the even one.
// The even worker takes part for both, and returns the result in the end.
//
// A [Core] is a machine whose ports are reliable byte streams to its partners, in the
// order of the bits; the odd pairing's partner is last ([Peers]). A step is one message
// as in package tensor, and starts when its predecessor is over. Bytes that a faster
// partner sends ahead wait, at most half a tensor.
//
// Left out: steps in overlapping slices, which would save 2 log2(n) network delays; the
// choice of an algorithm by the size of the tensor.
package halving
