// Package afpacket is a [pktio.Device] whose ports are Ethernet interfaces, as the
// ports of a transparent switch: it takes every frame that an interface receives,
// and sends every frame as it is.
//
//	interface --> ring of 64 KiB frames --> Train (borrowed ring memory)
//	              [virtio header | frame]
//	interface <-- sendmmsg <-- virtio header + train header + body
//
// There are two paths; Stats says which one is in use, and why:
//
//   - PACKET_VNET_HDR (packet(7), virtio v1.2 §5.1.6): the kernel hands over and
//     takes whole super-packets, up to 64 KB of one flow, with a partial checksum.
//     A [sansio.Train] is exactly that. This is about nine times faster than frame
//     by frame, and it keeps the unfinished checksums of frames between namespaces.
//   - Plain, where the kernel refuses, or by configuration: single frames; trains
//     are split and checksums computed before sending. This path cannot tell a
//     super-packet from a frame below the MTU, so the hosts' segmentation offloads
//     (tso, gso, tx-udp-segmentation) must be off. Checksum offload may stay on.
//
// Every train that cannot go on is counted under one of the Drop names. A full
// queue costs one wait of a millisecond, then drops; a port that is down drops; a
// deleted interface ends Recv with an error.
//
// Left out: super-packets that are not TCP or UDP over IPv4 (IPv6, tunnels, VLAN),
// which are dropped as "gso-unsupported", though their single frames pass; fanout;
// hardware timestamps; transmit rings, which gain nothing on veth.
package afpacket
