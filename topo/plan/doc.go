// Package plan gives a topology its addresses, MACs, interface names, port numbers,
// neighbours, routes and cables. It is a pure function of the graph and follows its order.
//
// Each switch with hosts is a router with one bridged subnet; switches without hosts
// (spines) have one address each:
//
//	subnet of the l-th switch with hosts    10.(l+1).0.0/16
//	its j-th host, in the order of nodes    10.(l+1).0.0 + j + 1
//	the switch: gateway and router address  10.(l+1).255.254
//	s-th switch without hosts               10.255.0.(s+1)
//	multicast group n                       239.255.(n/256).(n%256), see [Group]
//
//	host i                02:00:00:00:ii:ii
//	port p of switch s    02:01:ss:ss:pp:pp
//	switch s itself       02:02:00:00:ss:ss
//
// All MACs are locally administered (bit 0x02 of the first byte, IEEE 802).
//
//	h0 --> leaf0 ............... spine0 ............... leaf1 --> h3
//	  to GatewayMAC    to MAC of the next        to MAC of h3, by
//	  (Switch.MAC)     switch's port (Hop.MAC)   leaf1's Neighbors
//
// Hosts on one switch reach each other by MAC (bridged). They send to another subnet by
// the gateway. Switches route over all shortest paths at equal cost; the hops of a
// [Route] are in the order of ports. Frames to a switch's router address, such as
// aggregation packets, travel the same way. [Plan.Tree] gives the ports of a multicast
// tree.
//
// Linux allows 15 bytes for an interface's name. A host's is eth0. A switch's is the
// port's name, or a cut one that ends in a number of its own. The kernel never forwards
// between them.
//
// Left out: IPv6, hosts with several interfaces, weighted or adaptive paths.
package plan
