// Package vm runs programs that fit an emulated Tofino, as a machine of the PISA model:
// parse, match, act, deparse. [Compile] turns a fit.Program into instructions once. Any
// number of pipes run them, one pass of one packet at a time.
//
//	fit.Program --Compile--> Code --NewPipe--> Pipe: tables, registers, random numbers
//	                                             |
//	Packet --> parser --> control --> deparser --+--> the same Packet, and a Verdict
//
// A pass works in place. An extracted header is a slice of the packet. The deparser moves
// only headers that are not in their place, so that the rest of the packet stays:
//
//	before | headroom | eth ip udp hdr d0 d1 | rest          | tail, shared |
//	after  | headroom            eth ip udp hdr | rest       | tail, shared |
//
// One pass:
//
//  1. The parser extracts headers. Metadata is zero, except what is bridged from the ingress
//     or kept over a resubmission (meta.resubmit). A packet that it rejects, or that is too
//     short, has a [Reason], and the pass ends.
//  2. The control runs. The operations of an action read the state before the action. A
//     field of a header that is not valid reads as 0, and a write to it is lost.
//  3. The deparser fills in checksums and writes the valid headers before the unparsed rest.
//
// A [Group] takes several packets through a pass together, with the same results.
//
// [Pipe.SetRunner] leaves the controls of a pipe to a [Runner], such as that of package
// tracetree, which is faster.
//
// Decided here, where package ir leaves a choice:
//
//   - The default action of a table counts as an entry of it. A table with copies whose keys
//     do not depend on the copy is looked up once, and counts a packet once.
//   - Hash is CRC-32 (IEEE 802.3) over its operands, each in as many whole bytes as it
//     needs, big-endian.
//   - A register may have any size. An access behind its last entry does nothing, and its output
//     is 0; [Pipe.Beyond] counts them. (assumed: an SRAM has no bounds, and what lies there is no
//     memory of the register)
//
// Left out: where a packet goes, and time; both belong to the chip (switchd/tofino).
package vm
