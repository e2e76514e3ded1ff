// Package forward is the forwarding plane of one switch: bridging between the
// hosts of its subnet, routing to everywhere else, multicast, and the answers
// that a router owes to ARP and ICMP. Its tables come from a [plan.Switch] and
// do not change; it learns nothing.
//
//	frame --> ARP ----------------> for the router: answer; else flood to hosts
//	      --> group MAC ----------> the group's ports but the one it came by
//	      --> own MAC --> routed -> TTL - 1, new MACs, longest prefix, ECMP
//	      |                \------> for the router: ICMP echo, or unclaimed
//	      \-> host's MAC ---------> that host's port, untouched
//
// A train is forwarded whole. What a router rewrites (MACs, TTL, IP checksum)
// goes into a copy of its header; the body is borrowed. None of it is part of
// a transport checksum, so a partial one stays as it is.
//
// Sources: RFC 1812 (routers; §4.3 ICMP, §5.3.1 TTL), RFC 826 (ARP), RFC 1624
// (incremental checksum), RFC 792 (ICMP), RFC 2992 (hashed equal-cost paths; by
// modulo, not by its hash-threshold, since the paths do not change).
//
// What goes nowhere is counted under one reason; [Noise] tells those reasons
// that ordinary hosts give rise to from those that mean a loss.
//
// Deliberate departures: IP header checksums are not verified, since the public
// SwitchML client sends none (a wrong one stays wrong). ICMP answers leave by
// the port that the question came by, to the MAC it came from. A frame that
// comes back to its port through the router gives no ICMP redirect.
//
// Left out: IPv6, VLANs, IGMP and MLD (groups are static), fragmentation (one
// MTU holds everywhere), ARP requests of the switch's own.
package forward
