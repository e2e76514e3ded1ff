// Package vm runs programs that fit an emulated Tofino: [Compile] turns a
// fit.Program into short instructions once, and any number of pipes run them, one pass of
// one packet at a time.
//
//	fit.Program --Compile--> Code --NewPipe--> Pipe: tables, registers, random numbers
//	                                             |
//	Packet --> parser --> control --> deparser --+--> the same Packet, and a Verdict
//
// A pass works in place: a header that the parser extracts is a slice of the
// packet, and the deparser moves only what does not stand where it belongs, towards
// the end of what was parsed, so that the rest of the packet stays where it is.
//
//	before | headroom | eth ip udp hdr d0 d1 | rest          | tail, shared |
//	after  | headroom            eth ip udp hdr | rest       | tail, shared |
//
// # One pass
//
//  1. The parser extracts headers; metadata is zero, but for what is bridged from
//     the ingress, or kept over a resubmission (the field meta.resubmit). A packet
//     that it rejects, or that is too short, has a [Reason], and no more happens.
//  2. The control runs. The operations of an action see what was before it. What
//     is read of a header that is not valid is 0, what is written to one is lost.
//  3. The deparser fills in checksums and writes the headers that are valid, before
//     what was not parsed.
//
// # Copies
//
// A table with copies whose keys do not depend on the copy is looked up once for
// all of them. Where its action is one access to a register with as many copies, of
// 32-bit lanes and without comparisons, and moves, adds or clears whole words, all
// copies are done as one vector operation: a register stores entry by entry, in it
// lane by lane, in that copy by copy, big-endian as in packets.
//
//	entry i | lo[0] lo[1] ... lo[31] | hi[0] hi[1] ... hi[31] |
//
// # Trees
//
// Packets take few ways through a control. A pipe keeps those that it has seen as
// trees, one a side. A way begins at a root: the headers that the parser has found and the
// cases that it took. From there on much is certain: metadata is 0, constants are what
// actions have set, fields are what rows and conditions wanted of them. What is certain is
// done with once, when the way is grown; what is left are steps, and questions that only the
// packet can answer. An answer that no packet has given yet grows a branch.
//
//	control    start --> table a (eth.type) --> if meta.n == 1 --> table b (meta.n)
//	tree       eth.type is 0x800? --yes--> action of a, of b --> end
//	                              --no---> (grown when a packet comes to it)
//
// Growing takes far longer than a pass, so what would need many branches has none: a
// large table that only writes fields is looked up as ever, and behind a table whose copies
// match each for itself the rest of the control is followed instruction by instruction.
//
// What is certain is so for the entries as they are: [Pipe.Insert] and [Pipe.Delete] fell both
// trees of the pipe. A tree of 2^18 steps is felled before the next packet. Registers, random
// numbers and what the chip tells a pass are never taken for certain, but for the pipe.
//
// Options.OneByOne turns trees and vectors off; nothing but the speed may change.
//
// # Choices where ir leaves one
//
//   - The default action of a table counts as an entry of it; a table with copies
//     counts a packet once where it is looked up once.
//   - Hash is CRC-32 (IEEE 802.3) over its operands, each in as many whole bytes as
//     it needs, big-endian.
//   - Of an access beyond a register nothing happens, and its output is 0.
//
// Left out: where a packet goes, and time; both belong to the chip (switchd/tofino).
package vm
