// Package tensor is what the collectives over byte streams (ring, halving, ps)
// have in common: one worker's tensor as int32 in fixed point, cut into chunks
// that go over streams.
//
//	chunk 0              chunk 1              chunk 2
//	| values | unstored  | values | unstored  | values | unstored  |
//
// Under the virtual clock a run may carry unstored values: of each chunk the first
// values carry content, one of so many elements, and the bytes of the others are
// counted and stored nowhere. What a worker holds, is given and gives back are
// the values, chunk after chunk. In a live run every element has its value.
//
// A message is a header of 12 bytes (generation, what it is, bytes that follow;
// 4 each, big-endian), then the values of its chunks, big-endian, then their
// unstored bytes.
package tensor
