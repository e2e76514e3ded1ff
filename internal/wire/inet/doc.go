// Package inet holds views of the headers that every protocol of the testbed
// stands on: Ethernet (IEEE 802.3), ARP (RFC 826), IPv4 (RFC 791), UDP (RFC
// 768), TCP (RFC 9293) and ICMP (RFC 792).
//
// A view is a named byte slice; its methods read and write fields at fixed
// offsets. A view does not check its length: [Parse] does, once, and says where
// each header starts. Options are carried along; of TCP's, three are understood
// ([TCPOptions]). IPv6 and VLAN tags are left out: they are forwarded as unknown
// frames.
//
//	0        14            14+ihl         +8 or data offset
//	| Ether  | IPv4 (ihl)  | UDP / TCP    | body ...
package inet
