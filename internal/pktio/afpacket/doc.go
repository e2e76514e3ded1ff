// Package afpacket is a [pktio.Device] whose ports are network interfaces, as
// the ports of a transparent switch: every frame that an interface receives
// arrives, and every frame that is sent leaves as it stands.
//
//	interface --> ring of 64 KiB frames --> Train (borrowed ring memory)
//	              [virtio header | frame]
//	interface <-- sendmmsg <-- virtio header + train header + body
//
// # Two paths
//
// With PACKET_VNET_HDR (packet(7), virtio v1.2 section 5.1.6) the kernel hands
// over and takes super-packets whole, up to 64 KB of one flow, with a partial
// checksum; a [sansio.Train] is exactly that. This is some nine times faster
// than frame by frame, and the only way in which frames between network
// namespaces keep their unfinished checksums honest.
//
// The plain path is for kernels that cannot do so. It moves single frames:
// trains are split and checksums computed here before sending. A super-packet
// that comes in cannot be told apart from one frame unless it is longer than the
// MTU, so on this path the hosts' segmentation offloads (tso, gso,
// tx-udp-segmentation) must be off. Checksum offload may stay on. Open takes it
// when the kernel refuses something that the other needs, or when told to;
// Stats says which path is in use, and why.
//
// # Drops
//
// Every train that cannot go on is counted under one of the Drop names. A
// queue that stays full costs one wait of a millisecond, then drops; a port that
// is down drops; a port whose interface is deleted ends Recv with an error.
//
// # Left out
//
// Super-packets that are not TCP or UDP over IPv4 (IPv6, tunnels, VLAN) have no
// form as a train and are dropped as "gso-unsupported": turn segmentation
// offload off where such traffic matters. Their single frames pass, VLAN tags
// and all. The interface must be Ethernet. Fanout, hardware timestamps and
// transmit rings are not used; the last gains nothing on veth.
package afpacket
