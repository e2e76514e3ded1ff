// Package udp is the device of a worker: one kernel UDP socket that speaks
// trains with Ethernet, IPv4 and UDP headers to the machine, although the
// kernel owns those headers.
//
//	machine                         kernel
//	Train{header, body, seg} -----> sendmmsg(2), UDP_SEGMENT = seg ---> link
//	Train{header, body, seg} <----- recvmmsg(2), UDP_GRO    = seg <---- link
//
// Segmentation offload is what makes a socket fast enough: one system call
// moves up to 64 super-packets of up to 64 frames each (udp(7), UDP_SEGMENT
// since Linux 4.18, UDP_GRO since 5.0; UDP_MAX_SEGMENTS is 64 before 6.9 and
// 128 since, so 64 always fit). Where the kernel lacks one of them, or the
// configuration says Plain, every frame is a datagram of its own and everything
// else stays the same. [Probe] tells beforehand, Stats().Offload afterwards.
//
// # Sending
//
// Of a train's header only the destination address and port are used; source
// address and port must be those of the socket. Time to live, type of service
// and checksum are the kernel's. Packets carry Don't Fragment, so a frame that
// exceeds the interface's MTU is a counted drop and never becomes fragments
// that a switch would have to drop. The body goes to the kernel from where it
// lies. A train beyond the kernel's limits goes as several; statistics and
// drops count what the kernel was handed, so such a train counts once for each.
//
// # Receiving
//
// The header of an arrival is made up: the addresses and ports are those of
// the packet, the Ethernet addresses those of the configuration, the lengths
// those of the whole super-packet, the IP checksum is right, and the UDP
// checksum is zero ("none", RFC 768) since the kernel has checked it. An
// arrival is for the machine behind the device; it must not be forwarded.
//
// A member of groups binds the wildcard address, since a socket that is bound
// to a host address hears no multicast; what is not for its own address or
// its groups is a counted drop, and its source address is set on every send.
//
// # Drops
//
//	wrong-port            a send by a port other than 0
//	bad-header            not the headers of an option-free UDP packet
//	wrong-source-address  not the socket's address
//	wrong-source-port     not the socket's port
//	tx-full               the socket's send buffer stayed full for the patience of a Send
//	no-buffers            ENOBUFS: the kernel had no memory
//	message-size          EMSGSIZE, EINVAL: longer than the MTU or than UDP allows
//	unreachable           no route, or the interface is down
//	refused               an ICMP error that the kernel reports
//	not-permitted         a packet filter of this host
//	gso-refused           EIO: the interface cannot finish UDP checksums; sends go on without UDP_SEGMENT
//	truncated             a datagram beyond the receive buffer
//	wrong-destination     not for this socket's address or groups
//
// RingDrops are what the kernel dropped for want of receive buffer (or for a
// bad checksum): the socket's own counter, in which a super-packet counts once.
//
// Left out: IPv6, IP options, error queues, time stamps, zero-copy. Elsewhere
// than on Linux the package builds and Open returns an error.
package udp
