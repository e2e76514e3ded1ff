// Package rawip is the device of a host whose protocol has an IPv4 protocol number of its own, beside
// UDP: one raw socket, and one UDP socket as in package udp. The machine sees trains with Ethernet and
// IPv4 headers, although the kernel owns these headers.
//
//	machine                                     kernel
//	Train{header, body} --protocol----> sendmmsg(2), raw(7) -----> link
//	                    --UDP---------> package udp
//	Train{header, body} <-------------- recvmmsg(2), raw(7) <----- link
//	                    <-------------- package udp
//
// Each packet of the protocol is a train of one frame and a message of its own: the kernel segments
// none but TCP and UDP. What stands behind its IPv4 header, in the train's header or body, is the
// payload. The IPv4 header has no options, and the source must be the device's address. Time to
// live, identification, type of service (but for Config.ECN) and checksum are the kernel's, and packets carry
// Don't Fragment. UDP is as package udp says.
//
// An arrival of the protocol has the IPv4 header that came, and Ethernet addresses of the
// configuration. Arrivals of one socket are in order; those of the protocol come before those of UDP.
// Sends of both leave in order.
//
// The raw socket takes all packets of the protocol to this host, so that its kernel never answers
// them with "protocol unreachable" while the device is open; those to addresses other than the
// device's and its groups are counted drops. An XDP program that takes the packets of the
// protocol leaves none for this device, which then sends only.
//
// Left out: what package udp leaves out. Open returns an error elsewhere than on Linux.
package rawip
