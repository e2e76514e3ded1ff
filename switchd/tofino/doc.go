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
// by a port in loopback mode, or by one for recirculation, enters the ingress of the same port again. A pipe's state sees packets in order of arrival at its
// ingress, or of departure from the queue. Without [Timing] there are no queues, and all
// passes of a packet run within Handle.
//
// Traffic manager:
//
//   - A program sends by ig.unicast and ig.egress_port, by ig.multicast and ig.mcast, or
//     both; ig.drop wins. A packet without any of these is dropped and counted.
//   - A group makes one copy for each port of its nodes. It leaves out a node with rid ig.rid,
//     not 0, and a port in the exclusion set ig.xid, not 0. (Hardware has these ids in the
//     other order, and valid bits of its own.)
//   - A mirrored copy is the packet as the ingress received it. It goes to the port of its
//     session even if the packet is dropped, unless bit 2 of ig.drop is set.
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
// values; truncation of mirrored copies; packet generators; learning filters.
package tofino
