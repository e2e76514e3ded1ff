// Package user loads a PFE with a Microcode program of a user's own. Frames in transit that the
// program's [dataplane.Match] names pass it: on arrival (ingress), or at the PFE of the port by
// which they leave (egress).
//
//	                  ingress                                 egress
//	port 3 --> match? --> program --> hop --> routing ... --> match? --> program --> port 5
//	             |          |          +----> port                          |
//	             |          +-> dropped                                     +-> dropped
//	             +--> the next program of the PFE, the system's engine, forwarding
//
// Several programs can be on one PFE beside the engine of its system. A frame has the first of
// them whose match it is. Each program has shared memory of its own, as large as what it declares
// and its hash table, to the word; an address beyond is a fault.
//
// The program forwards to numbers. What each stands for is a [Hop]: the switch's own forwarding,
// ports, or a host.
//
// Left out: programs on arrival across the fabric, and frames that threads of timers create and
// send to routing, which have no port of arrival (they are dropped as "pfe-unknown-next-hop").
package user
