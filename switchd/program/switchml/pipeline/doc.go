// Package pipeline is SwitchML (NSDI 2021) as a program for the emulated
// Tofino, with its control plane: Algorithm 3 cut into twelve stages.
//
//	stage 1   worker or parent by address and UDP port
//	      2   drop simulator, limits of the pool; newest tag of the slot's two sets
//	      3   bitmap: own bit set in one set and cleared in the other; late packets in a row
//	      4   counter, exponents, values, ...
//	      5   verdict: absorb, answer one, answer all, send up, drop
//	      6   route: next pass or out          4 to 12: 32 value registers
//
// [Engine] takes the same configuration as the program of package reference and does the
// same, packet for packet; the tests hold both against each other.
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
// The first pass looks the worker up and holds the tag of the packet against those of its
// slot; those that follow have both from the internal header. Bitmap and values are
// those of each pipe. The last pass that adds sees what has come through all others: it has
// counter and exponents and says what becomes of the packet. So where a packet is lost
// between two passes, as by a full queue, its retransmission counts as seen where
// it was added and is added where it was not. A packet that is late counts in no pipe:
// those behind the first have seen no more than that has, in the same order.
//
// A packet that is one late packet too many in a row (switchml.LateLimit) has read its
// slot's tags when that shows. It comes round unchanged into the same pipe, to take them.
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
//   - Packets that carry unstored values are of zeros; mixing them with others in a slot is
//     not noticed.
//   - A job that is removed while packets are inside a chip with time: these end at their
//     next pass (DropGone; that of an unknown worker where a slot begins anew), or for want of its multicast group.
//   - An IP length too short for a header of UDP counts as a bad length of UDP.
//   - Of a stranger, or of a job that lacks workers, a packet is counted as that, whatever its lengths.
//   - With Config.Faithful also one half of 256 values is read in the wrong pipe, as in the
//     public program.
//
// # RoCE
//
// With Options.RDMA the program is that for RoCEv2 (rdma*.go): other headers, another way
// in and out, and between them the same slots, values and passes. Its oracle is
// reference.RDMAProgram.
//
//	stage 1   worker by address; queue pair; pool index of the message by its key
//	      2   queue pair: in sequence? PSN and pool index of the next packet, in one pair
//	      3   end of a message where one is? bitmap; then as above
//	egress 1  receiver by rid; 3 its number of the queue pair; its PSN, or the packet is held back
//
// The state of a queue pair is on the side where it is needed: what a worker has sent in the
// ingress of pipe 0, through which its packets come once, before their first pass; what it
// is sent in the egress of pipe 0, for each copy. That the two do not meet is what lets
// them fit: a stage in front of the bitmap more would leave 32 stateful ALUs for the 35
// registers behind it.
//
// For the same reason there are no tags. They tell packets of phases that are over, and
// on a queue pair PSNs do: a first packet from before is not taken, what follows none
// neither, so that the messages of a worker come to a slot in their order. The reference
// program has the tags of its UDP slots as well; hosts that obey Algorithm 4 never meet them.
//
// Packets of a queue pair, not of a slot, keep to one port of each pipe, so that the
// packets of a message leave in their order.
//
// The ICRC no pass can check or write: most of a packet is in no container. Hosts of the
// public program turn the check of their cards off (its script disable-icrc). Here the front
// ports check and write it (tofino.Trailer), as if they could, so that emulated cards may look.
//
// Differences to its reference program, beside those above:
//
//   - Jobs of UDP clients are refused: a chip has one program.
//   - 8192 queue pairs in all ([MaxQueuePairs]), each worker's counted.
//   - In messages that are partly written with an immediate and partly without, those
//     without count as exponents of 0.
//   - The packets of a job that lacks workers are all counted as that.
package pipeline
