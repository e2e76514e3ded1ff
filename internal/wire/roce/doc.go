// Package roce is the wire format of RoCEv2 packets: the base transport header that all
// have, and the rest as far as RDMA writes on unreliable connections (UC) need it: what
// SwitchML's RDMA hosts and their switch exchange (SwitchML §5, App B).
//
//	Ethernet 14 | IPv4 20 | UDP 8, port 4791 | BTH 12 | RETH 16 | ImmDt 4 | payload | ICRC 4
//	                                                   first     last
//
// All fields are big-endian but for the ICRC. Sources: the InfiniBand architecture
// specification, volume 1 (chapter 9, transport layer; §7.8.1, invariant CRC), and
// its annex A17 (RoCEv2).
//
//	BTH    opcode 1, solicited 1 bit, migration 1, pad count 2, version 4,
//	       partition key 2, reserved 1, destination queue pair 3,
//	       acknowledge request 1 bit, reserved 7, PSN 3
//	RETH   virtual address 8, remote key 4, DMA length 4; in a message's first packet
//	ImmDt  immediate 4; in its last packet, where it has one
//
// # Invariant CRC
//
// [Seal] writes the CRC that annex A17 wants: the CRC-32 of Ethernet over eight
// bytes of ones (the route header of InfiniBand), then the packet from its IPv4
// header on, with what routers change taken as ones: type of service, TTL, header
// checksum, UDP checksum, and the reserved byte of the BTH. It covers the
// identification and the flags of the IP header, so that it is wrong behind a
// kernel's socket, which chooses these itself; and it cannot be told of a packet
// whose payload is unstored, where it is zero.
//
// Left out: all other operations and transports, IPv6, congestion notification.
package roce
