// Package ring is ring all-reduce (Patarasuk and Yuan, JPDC 2009), the baseline
// without help from the network: n-1 steps of reduce-scatter and n-1 of
// all-gather, in each of which a worker sends 1/n of the tensor to its next
// neighbour and takes as much from the previous one.
//
// A [Core] is a machine whose two ports are reliable byte streams, not packets:
// [Next] to the next neighbour and [Prev] from the previous one. Live they are
// kernel TCP; virtual they run over package stream.
//
//	step k:  chunk (rank-k) mod n goes out, chunk (rank-k-1) mod n comes in;
//	         it is added for k < n-1 and kept as the sum from then on
//
// Chunks are cut through: a slice of a step's chunk goes on as soon as it has come
// in and was added, so that the steps overlap and every link stays busy. Values are
// int32 in fixed point, so that sums do not depend on their order and can be
// checked against the same oracle as the switch's.
//
// A chunk is a message as in package tensor, which also says how a virtual run
// carries unstored values: generation, step, bytes, then the chunk.
package ring
