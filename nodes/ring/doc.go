// Package ring is ring all-reduce (Patarasuk and Yuan, JPDC 2009), the baseline without
// help from the network: n-1 steps of reduce-scatter and n-1 of all-gather. In each step
// a worker sends 1/n of the tensor to its next neighbour and takes as much from the
// previous one.
//
// A [Core] is a machine whose ports are two reliable byte streams: [Next] to the next
// neighbour and [Prev] from the previous one.
//
//	step k:  chunk (rank-k) mod n goes out, chunk (rank-k-1) mod n comes in;
//	         it is added for k < n-1 and kept as the sum from then on
//
// A slice of a chunk goes on as soon as it has been added, so that steps overlap and
// every link stays busy. Values are int32 in fixed point, so that sums do not depend on
// their order. A chunk is a message as in package tensor: generation, step, bytes, chunk.
package ring
