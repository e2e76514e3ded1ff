// Package pipeline is SwitchML (NSDI 2021) as a program for the emulated Tofino, with its
// control plane: Algorithm 3 cut into twelve stages. [Engine] takes the configuration of
// package reference and does the same, packet for packet.
//
//	stage 1   worker or parent by address and UDP port
//	      2   drop simulator, limits of the pool; newest tag of the slot's two sets
//	      3   bitmap: own bit set in one set and cleared in the other; late packets in a row
//	      4   counter, exponents, values, ...
//	      5   verdict: absorb, answer one, answer all, send up, drop
//	      6   route: next pass or out          4 to 12: 32 value registers
//
// A stateful ALU adds two words of 32 bits and puts out one. So a pass adds 64 values and
// reads 32 (§5), and packets come round again (docs/switchml.md shows a path; [Passes]).
// Between passes a packet has an internal header ("md") in front, and only the values that
// are still to be added or were read. The deparser writes its output before the rest of the
// packet, so later halves are read first.
//
// The first pass looks the worker up and checks the tag. Each pipe has a bitmap and values
// of its own. The last pass that adds has counter and exponents, and decides. So a packet
// that is lost between passes is added, when sent again, only where it was not.
//
// Options.Half is the variant for floats of 16 bits (half.go). Options.RDMA is the variant
// for RoCEv2 (rdma*.go), with the same slots, values and passes:
//
//	stage 1   worker by address; queue pair; pool index of the message by its key
//	      2   queue pair: in sequence? PSN and pool index of the next packet, in one pair
//	      3   end of a message where one is? bitmap; then as above
//	egress 1  receiver by rid; 3 its number of the queue pair; its PSN, or the packet is held back
//
// It has no tags: PSNs tell packets of earlier phases. One more stage before the bitmap
// would leave 32 stateful ALUs for the 35 registers behind it. No pass can check or write the
// ICRC; the front ports do it (tofino.Trailer, assumed).
//
// Limits, and differences to the reference programs:
//
//   - 32 workers a job (the width of a bitmap), 16 ports, 512 workers and parents and 256
//     jobs in all; 8192 queue pairs ([MaxQueuePairs]). With RDMA, jobs of UDP clients are
//     refused.
//   - The first packet of a phase is the one that finds no bit set, not the counter at 0.
//     Only workers that do not conform see a difference.
//   - The parser rejects IP options and fragments. Its drops are tofino-parser-rejected and
//     tofino-too-short. An IP length too short for UDP counts as a bad length of UDP.
//   - Packets of a stranger, or of a job that lacks workers, are counted as that, whatever
//     their lengths.
//   - Unstored values are zeros; mixing them with others in a slot is not noticed.
//   - Packets of a removed job end at their next pass (DropGone), as those of an unknown
//     worker where a slot begins anew, or for lack of their multicast group.
//   - In RDMA messages that are partly written with an immediate, packets without one count
//     as exponents of 0.
//   - With Config.Faithful also one half of 256 values is read in the wrong pipe, as in the
//     public program.
package pipeline
