// Package udp is the device of a worker: one kernel UDP socket. The machine sees
// trains with Ethernet, IPv4 and UDP headers, although the kernel owns these headers.
//
//	machine                         kernel
//	Train{header, body, seg} -----> sendmmsg(2), UDP_SEGMENT = seg ---> link
//	Train{header, body, seg} <----- recvmmsg(2), UDP_GRO    = seg <---- link
//
// One system call moves up to 64 super-packets of up to 64 frames each (udp(7);
// UDP_SEGMENT since Linux 4.18, UDP_GRO since 5.0; UDP_MAX_SEGMENTS is 64 before
// 6.9, 128 since). Where the kernel lacks one of them, or with Config.Plain, each
// frame is a datagram of its own. [Probe] tells beforehand, Stats().Offload afterwards.
//
// Sending uses the destination address and port of a train's header. The source must
// be the socket's. Time to live, type of service (but for Config.ECN) and checksum are the
// kernel's.
// Packets carry Don't Fragment, because switches drop fragments. A train beyond the
// kernel's limits goes as several, and counts as several.
//
// Receiving makes the header up: addresses and ports of the packet, Ethernet
// addresses of the configuration, the super-packet's lengths, a right IP checksum.
// The UDP checksum is zero ("none", RFC 768), since the kernel has checked it. An
// arrival must not be forwarded.
//
// RingDrops counts what the kernel dropped, for lack of buffer or for a bad
// checksum. A super-packet counts once.
//
// Left out: IPv6, IP options, error queues, time stamps, zero-copy. Open returns an
// error elsewhere than on Linux.
package udp
