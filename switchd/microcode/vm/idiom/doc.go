// Package idiom does loops of Microcode that move a packet chunk by chunk many iterations at a
// time. It buys speed and nothing else: a thread of package vm ends in the same state, and tests
// hold both equal. Compilers call such loops idioms (LoopIdiomRecognize of LLVM).
//
// A program spends its time in three loops: the gradients of a tail go into the sums, the sums
// into the tail of the result, zeros over the sums (trio §4). [Attach] finds them in a program. A
// thread that comes to one asks a handler which is a [Streamer] to do as many iterations at once
// as are sure to be followed by another, accounts for them, and goes on instruction by
// instruction. The last iteration, or one that fails, is never part of a [Stream]:
//
//	head:  TailRead(off, chunk, 64)          <- iterations 1 .. n: Stream
//	       async MemAdd32(sum, chunk, 64)       iteration n+1 ..: by package vm
//	       sum += 8; off += 64; if (off < end) goto head
//
// Afterwards a thread that has streamed differs from one that has not in Pending alone, which is
// not defined between two XTXNs.
package idiom
