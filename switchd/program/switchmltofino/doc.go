// Package switchmltofino is SwitchML (NSDI 2021) as a program for the emulated
// Tofino, with its control plane: Algorithm 3 cut into twelve stages.
//
//	stage 1   worker or parent by address and UDP port
//	      2   drop simulator, limits of the pool; newest tag of the slot's two sets
//	      3   bitmap: own bit set in one set and cleared in the other; late packets in a row
//	      4   counter, exponents, values, ...
//	      5   verdict: absorb, answer one, answer all, send up, drop
//	      6   route: next pass or out          4 to 12: 32 value registers
//
// [Engine] takes the same configuration as the reference program switchml.Program
// and does the same, packet for packet; the tests hold both against each other.
//
//	switchml.Config --New--> Engine
//	                           | entries, groups, tags    | counters, bitmaps
//	                           v                          | passes (trace)
//	                      tofino.Chip --------------------+
//
// # Passes
//
// A stateful ALU adds two words of 32 bits and puts out one. So a pass takes in 64
// values and gives back 32 (§5), and what is to be answered comes round again:
//
//	64 values    consume+read upper half --> read lower half
//	256 values   consume in pipes 0 1 2 3 (there the first read) --> 3 2 2 1 1 0 0
//
// In between, a packet has an internal header in front ("md") and only those values
// that are still to be added, or have been read already. Later halves of the tensor
// block are read first, since what the deparser writes comes before the rest of the
// packet. See [Passes].
//
// Each pass that adds is Algorithm 3 in its own pipe, from the lookup of the worker on:
// tags, bitmap and values are those of the pipe. The last of them, which sees what has come
// through all others, has counter and exponents and says what becomes of the packet. So where a
// packet is lost between two passes, as by a full queue, its retransmission counts as seen where
// it was added and is added where it was not. A packet that is late in one pipe counts in
// none that follows: what is complete in the last pipe is so in all.
//
// A packet that is one late packet too many in a row (switchml.LateLimit) has read its
// slot's tags when that shows. It comes round unchanged into the same pipe, to take them, and
// takes those of the pipes that follow at once. Where passes were lost, a later pipe
// may have to begin anew by itself.
//
// Workers and parents are at the ports of pipe 0; those of the other pipes lead back,
// and packets of a slot keep to one of them in each pipe, so that none overtakes another.
//
// # Floats
//
// With Options.Half packets carry floats of 16 bits, which lookup tables turn into
// fixed point and back, over half the exponents (§4.6): see half.go.
//
// # Limits, and differences to the reference program
//
//   - 32 workers a job (the width of a bitmap), 16 ports, 512 workers and parents and
//     256 jobs in all.
//   - The first packet of a phase is that which finds no bit set, not that which finds
//     the counter 0. With conforming workers both are the same; what others do to their own
//     slots may differ.
//   - IP options and fragments are rejected by the parser. Its drops, and those of frames too short
//     for a header, have names of the chip: tofino-parser-rejected, tofino-too-short.
//   - Packets that carry lengths only are of zeros; mixing them with others in a slot is
//     not noticed.
//   - A job that is removed while packets are inside a chip with time: these end at their
//     next pass (DropGone, or that of an unknown worker), or for want of its multicast group.
//   - A UDP length below that of the frame's payload is taken at its word, as truncated.
//   - With Config.Faithful also one half of 256 values is read in the wrong pipe, as in the
//     public program.
//
// Left out: RDMA, which package switchmlroce has in its reference form.
package switchmltofino
