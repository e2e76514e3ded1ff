// Package tofino emulates a programmable switch of the Tofino family: four pipes that run
// one program (package ir, placed by fit, run by vm), ports, and a traffic manager with
// multicast, queues, mirroring, and ways back into a pipe.
//
//	port ---> parser, ingress, deparser ---> traffic manager ---> queue of a port
//	  ^           ^         |                 copies, drops           |
//	  |           +---------+ resubmission                            v
//	front, or loopback and recirculation <--- parser, egress, deparser
//
// A pipe has 18 ports: 16 at the front, and quads 16 and 17, which are inside. A packet that leaves
// by a port in loopback mode, or by one for recirculation, enters the ingress of the same port
// again. A pipe's state sees packets in order of arrival at its ingress, or of departure from the
// queue. Without [Timing] there are no queues, and all passes of a packet run within Handle.
//
// Then frames of a train that do not meet may take each pass together (Config.Apart), which is
// faster; nothing else differs.
//
// Traffic manager:
//
//   - A program sends by ig.unicast and ig.egress_port, by ig.multicast and ig.mcast, or
//     both; ig.drop wins. A packet without any of these is dropped and counted.
//   - A group makes one copy for each port of its nodes. It leaves out a node with rid ig.rid,
//     not 0, and a port in the exclusion set ig.xid, not 0. (Hardware has these ids in the
//     other order, and valid bits of its own.)
//   - A mirrored copy is the packet as the ingress received it. It goes to the port of its
//     session even if the packet is dropped. Copies of a pipe come one after another
//     (Timing.Mirror, assumed); what finds no room is counted and not made.
//   - A packet that is resubmitted enters its ingress once more, as it came but for meta.resubmit of
//     at most 64 bits, once. Nothing else becomes of the first time, and only ports of quads 0
//     to 15 resubmit (TNA 5.6, 7.14). It waits for room beside the fresh packets of its
//     port (Timing.Input, assumed). A packet that is dropped is not resubmitted.
//   - Queues drop at their tail. A packet that finds Timing.Mark cells in its queue is marked
//     in all copies, if its sender is capable (RFC 3168); on hardware the egress program does
//     this by eg.enq_depth. Queues of a port take turns, packet by packet (assumed).
//
// Frames of one header that leave by one port one after another are one train. Their IPv4
// header checksum is right. A UDP checksum that the program leaves 0, or that came partial,
// leaves partial. Front ports can check and write the end of a frame ([Trailer]), which this
// family cannot (assumed).
//
// Left out: a pipe's packet rate, which no port speed here reaches with packets of 64
// values, and what it loses where an ingress makes packets more than 28 bytes longer (TNA
// 5.8); headers, kinds and truncation of mirrored copies, and those that an egress makes; kinds of
// resubmission; copies to the CPU; packet generators; learning filters.
package tofino
