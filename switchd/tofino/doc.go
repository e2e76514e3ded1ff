// Package tofino emulates a programmable switch of the Tofino family: four pipes that
// run one program (package ir, placed by fit, run by vm), ports, a traffic manager
// with multicast, queues, mirroring, and the ways back into a pipe.
//
//	port ---> parser, ingress, deparser ---> traffic manager ---> queue of a port
//	  ^           ^         |                 copies, drops           |
//	  |           +---------+ resubmission                            v
//	front, or loopback and recirculation <--- parser, egress, deparser
//
// # Ports
//
// A [DevPort] has the number that the chip knows: two bits of pipe, seven within it.
// A pipe has 16 ports of 100 Gbit/s (SwitchML §5, §6) and one for recirculation. Config.Ports says
// which of them are ports of the chassis; what leaves by one in loopback mode, or by
// that for recirculation, enters the ingress of the same port again.
//
// # Clocks
//
// Without [Timing] a chip is instant: all passes of a packet run to their end within
// Handle, one arriving packet after another; there are no queues. With it, passes
// take time and ports are serial: see timing.go. The state of a pipe sees packets in
// the order of their arrival at its ingress, or of their departure from the queue.
//
// # Traffic manager
//
//   - A program sends by ig.unicast and ig.egress_port, by ig.multicast and ig.mcast,
//     or both; ig.drop wins. What does none of these is dropped and counted.
//   - A group has nodes, each with a rid and ports; one copy for each port. A node is
//     left out if its rid is ig.rid and that is not 0, a port if the exclusion set
//     ig.xid, not 0, has it. (Hardware has these ids in the other order, and its own
//     valid bits.)
//   - A mirrored copy is the packet as the ingress received it; it goes to the port of
//     its session even if the packet is dropped, unless bit 2 of ig.drop is set.
//   - Queues drop at their tail. A packet that finds Timing.Mark cells or more in its
//     queue has Congestion Experienced set in its IPv4 header as it leaves by a front
//     port, and so have all copies of it, if its sender is capable (RFC 3168). On hardware
//     that is a few lines of egress program on eg.enq_depth, which a program finds here, too.
//   - Queues of a port take turns, packet by packet (assumed).
//
// # Random numbers
//
// Those that the ingress takes are of the port that the packet came by, those of the
// egress of the port that it leaves by, each with a stream of its own from Config.Seed. So what
// packets of one port draw, one after another, does not depend on the traffic of others: a
// property of the emulator, see random.go.
//
// # What leaves
//
// Frames of one header that leave by one port one after another are one train, as the
// kernel's segmentation offload wants it, and payloads that copies have in common are
// in memory once. The header checksum of IPv4 is right in all of them. A UDP checksum that the
// program leaves 0, or that came partial, leaves partial.
//
// What a frame has at its end over all that is before it, such as the ICRC of RoCEv2, is
// checked and written by the front ports if they are told how ([Trailer]); those of this
// family cannot (assumed).
//
// Left out: the rate of packets of a pipe, which no port speed here reaches with packets of
// 64 values; truncation of mirrored copies; packet generators; learning filters.
package tofino
