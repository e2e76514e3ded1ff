// Package topo holds a testbed's topology as plain data: hosts, switches,
// ports and the links between them, and the rules that such a graph must keep.
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
// A switch may have a [Chassis]: a router whose ports are spread over several
// packet forwarding engines joined by an internal fabric, such as the MX480 of
// "Using Trio: Juniper Networks' programmable chipset for emerging in-network
// applications" (SIGCOMM 2022), §6.1.
//
// The order of nodes, ports and links carries meaning: addresses, MACs and
// indexes follow it, so the same graph always gives the same testbed.
// [Graph.Validate] reports every fault of a graph at once, each with the node
// or link it stands at; what it accepts, package plan can address and the
// runners can build.
//
// Left out: hosts with several ports, links between hosts, VLANs, and links
// that more than two nodes share. The richer impairments (bursts, reordering,
// schedules) belong to a scenario, not to the wiring.
package topo
