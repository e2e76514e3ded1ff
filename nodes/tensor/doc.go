// Package tensor is the common part of the collectives over byte streams (ring, halving,
// ps, tcpagg): the [Worker] that they embed, and its tensor as int32 in fixed point, cut into chunks.
// Servers add tensors up in an [Adder].
//
//	chunk 0              chunk 1              chunk 2
//	| values | unstored  | values | unstored  | values | unstored  |
//
// In a live run every element has its value. Under the virtual clock the first values of
// each chunk may carry content, one of so many elements; the bytes of the others are
// counted and stored nowhere. A worker has, sends and returns the values only.
//
// A message is a header of 12 bytes (generation, kind, bytes that follow; 4 each,
// big-endian), then the chunk's values, big-endian, then its unstored bytes.
package tensor
