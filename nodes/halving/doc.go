// Package halving is all-reduce by recursive halving and doubling (Thakur,
// Rabenseifner and Gropp, IJHPCA 2005, after Rabenseifner): as many bytes as a
// ring, in 2 log2(n) steps in place of 2(n-1).
//
// Reduce-scatter: in step s a worker and its partner, whose ranks differ in bit
// s, exchange halves of what each still holds and add what comes. After log2(n)
// steps everybody holds the sum of 1/n of the tensor. All-gather: the same pairs
// the other way round exchange all that they have.
//
//	8 workers, what rank 0 keeps            what it has
//	rank 1:  | 0 1 2 3 | . . . . |    ^     0 1 2 3 4 5 6 7
//	rank 2:  | 0 1 | . . |            |     0 1 2 3
//	rank 4:  | 0 | . |                |     0 1
//	         reduce-scatter, down     all-gather, up
//
// Where n is not a power of two, p is the largest below, and the first 2(n-p)
// workers pair up first: each sends its partner a half of the tensor, adds the
// other half, and the odd one hands its sums to the even one, which takes part for
// both and sends it the result in the end.
//
// A [Core] is a machine whose ports are reliable byte streams to its partners, in
// the order of the bits; the partner of the odd pairing comes last ([Peers]). A
// step's bytes are one message as in package tensor: generation, kind (0 to 2 in
// an odd pairing, 3 and up the steps), bytes, then the chunks in order. A step
// starts when the one before is over, as in the paper; what a faster partner sends
// ahead waits, a half of the tensor at most.
//
// Left out: cutting steps into slices that overlap, which would save 2 log2(n)
// times a network delay; the choice of an algorithm by the size of the tensor.
package halving
