// Package pipeline is SwitchML (NSDI 2021) as a program for the emulated Tofino, with its
// control plane: Algorithm 3 cut into twelve stages. [Engine] takes the configuration of
// package reference and does the same, packet for packet.
//
//	stage 1   worker or parent by address and UDP port; the job's quarters of job bytes
//	      2   drop simulator, limits of the pool; stamps of the slot, one for each set
//	      3   bitmap: own bit set in one set and cleared in the other
//	      4   counter, exponents, values, ...
//	      5   verdict: absorb, answer one, answer all, send up, drop
//	      6   route: next pass or out          4 to 12: 32 value registers
//
// docs/switchml.md shows the path of a packet through its passes, and says why the program
// for RoCEv2 (rdma*.go) has no tags. half.go is the variant for floats of 16 bits. In between
// two passes a packet has an internal header ("md") in front, and only the values that are
// still to be added or were read. No pass can check or write the ICRC; the front ports do
// (tofino.Trailer, assumed).
//
// Limits, and differences to the reference programs:
//
//   - 32 workers a job (the width of a bitmap), 512 workers and parents and 256 jobs in all.
//   - The first packet of a phase is the one that finds no bit set, not the counter at 0.
//     Only workers that do not conform see a difference.
//   - The job byte of a worker's packet counts before the packet is refused, as for its size.
//   - The parser rejects IP options and fragments. Its drops are tofino-parser-rejected and
//     tofino-too-short. An IP length too short for UDP counts as a bad length of UDP.
//   - Packets of a stranger, or of a job that lacks workers, are counted as that, whatever
//     their lengths.
//   - Unstored values are zeros; mixing them with others in a slot is not noticed.
//   - Packets of a removed job end at their next pass (DropGone), or for lack of their
//     multicast group.
//   - In RDMA messages that are partly written with an immediate, packets without one count
//     as exponents of 0.
package pipeline
