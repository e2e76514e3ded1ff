// Package idiom runs loops of Microcode that move a packet chunk by chunk many iterations at
// a time (compilers call them idioms: LoopIdiomRecognize of LLVM). It buys speed and nothing
// else: a thread of package vm ends in the same state, and tests hold both equal.
//
// A program spends its time in three loops: the gradients of a tail go into the sums, the
// sums into the tail of the result, zeros over the sums (trio §4). [Attach] finds them. At
// such a loop a handler that is a [Streamer] does as many iterations as it can. The last one is
// among them if it is like those before. One that fails is never part of a [Stream]:
//
//	head:  TailRead(off, chunk, 64)          <- iterations 1 .. n: Stream
//	       async MemAdd32(sum, chunk, 64)       iteration n+1 ..: by package vm
//	       sum += 8; off += 64; if (off < end) goto head
//
// A machine with time serves each XTXN when its time has come. For it, [AddsOf] finds the loops in
// which each instruction issues an add, or reads what is to be added.
//
// Afterwards a thread differs in Pending alone, which is not defined between two XTXNs.
package idiom
