// Package inet holds views of the headers below every protocol of the testbed:
// Ethernet (IEEE 802.3), ARP (RFC 826), IPv4 (RFC 791), UDP (RFC 768), TCP (RFC
// 9293) and ICMP (RFC 792).
//
//	0        14            14+ihl         +8 or data offset
//	| Ether  | IPv4 (ihl)  | UDP / TCP    | body ...
//
// A view is a named byte slice. Its methods read and write fields at fixed offsets
// and do not check its length: [Parse] checks once and says where each header starts.
//
// Left out: IP options and most TCP options, which are carried along
// ([TCPOptions] has three); IPv6 and VLAN tags, which are unknown frames.
package inet
