// Package forward is the forwarding plane of one switch: bridging between the hosts of its
// subnet, routing elsewhere, multicast, and answers to ARP and ICMP. Its tables come from a
// [plan.Switch] and do not change.
//
//	frame --> ARP ----------------> for the router: answer; else flood to hosts
//	      --> group MAC ----------> the group's ports but the one it came by
//	      --> own MAC --> routed -> TTL - 1, new MACs, longest prefix, ECMP
//	      |                \------> for the router: ICMP echo, or unclaimed
//	      \-> host's MAC ---------> that host's port, untouched
//
// A train is forwarded whole. The router rewrites MACs, TTL and IP checksum in a copy of the
// header and borrows the body. These are no part of a transport checksum, so a partial one
// stays.
//
// Sources: RFC 1812 (routers; §4.3 ICMP, §5.3.1 TTL), RFC 826 (ARP), RFC 1624 (incremental
// checksum), RFC 792 (ICMP), RFC 2992 (hashed equal-cost paths; by modulo, not by its
// hash-threshold, since the paths do not change).
//
// Deliberate departures: IP header checksums are not verified, since the public SwitchML client
// sends none. ICMP answers leave by the port of the request, to its source MAC. A frame that
// leaves by the port it came by gives no ICMP redirect.
//
// Left out: IPv6, VLANs, IGMP and MLD (groups are static), fragmentation (one MTU holds
// everywhere), ARP requests of the switch's own.
package forward
