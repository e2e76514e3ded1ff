// Package roce is the wire format of RoCEv2 packets: the base transport header of
// all operations, and RDMA writes on unreliable connections (UC), which SwitchML's
// RDMA hosts and their switch exchange (SwitchML §5, App B).
//
//	Ethernet 14 | IPv4 20 | UDP 8, port 4791 | BTH 12 | RETH 16 | ImmDt 4 | payload | ICRC 4
//	                                                   first     last
//
//	BTH    opcode 1, solicited 1 bit, migration 1, pad count 2, version 4,
//	       partition key 2, reserved 1, destination queue pair 3,
//	       acknowledge request 1 bit, reserved 7, PSN 3
//	RETH   virtual address 8, remote key 4, DMA length 4; in a message's first packet
//	ImmDt  immediate 4; in its last packet, where it has one
//
// Lengths are bytes, and fields are big-endian except the ICRC. Sources: InfiniBand
// architecture specification, volume 1, chapter 9 (transport layer) and §7.8.1
// (invariant CRC), and its annex A17 (RoCEv2).
//
// [Seal] writes the invariant CRC. It covers the IP identification and flags, which
// a kernel's socket chooses, so it is wrong behind such a socket. A packet
// with an unstored payload has zero instead.
//
// Left out: all other operations and transports, IPv6, congestion notification.
package roce
