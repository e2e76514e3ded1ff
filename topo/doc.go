// Package topo holds a testbed's topology as plain data: hosts, switches, ports and
// links, and the rules of such a graph.
//
//	 spine0      spine1          Kind Switch, Tier 1
//	 p0  p1      p0  p1
//	  |    \    /    |           Link: two Ends, one LinkSpec per direction
//	 p3     p4 p3   p4
//	 leaf0      leaf1            Kind Switch, Tier 0
//	p0 p1 p2   p0 p1 p2
//	|  |  |    |  |  |
//	h0 h1 h2   h3 h4 h5          Kind Host, one port each
//
// A switch may have a [Chassis]: a router whose ports are spread over several packet
// forwarding engines joined by a fabric, such as the MX480 of "Using Trio: Juniper
// Networks' programmable chipset for emerging in-network applications" (SIGCOMM 2022),
// §6.1.
//
// Addresses, MACs and indexes follow the order of nodes, ports and links, so the same
// graph always gives the same testbed. [Graph.Validate] reports every fault of a graph
// at once.
//
// Left out: hosts with several ports, links between hosts, VLANs, links with more than
// two ends, and the schedule of a scenario.
package topo
