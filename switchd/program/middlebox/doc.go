// Package middlebox loads a PFE with a Microcode program that all traffic of the PFE passes in
// transit (trio §7). The program may keep a record of each sender, pair or flow in the hash
// table.
//
//	packet --> program --> record in the hash table
//	              |               ^
//	              +--> HopForward |  or dropped
//	                              |
//	       timer threads, each of its part of the table
//
// It has the common part of such programs: the PFE of [Config], its one timer, the next hop of
// a passing packet, and setting variables. Counters and records are the program's.
//
// Frames of every Ethernet type come to the program, also fragments, malformed packets and the
// padding of short frames; ARP comes if [Config] says so. Unchanged frames that leave one
// after another are one train again, except with [Config].Timing. Packets of a flow stay in
// order; packets without ports, such as fragments, are one flow by their Ethernet header.
//
// Left out: bytes without an Ethernet header, which forwarding drops ("short-ethernet"), and
// super-packets of IPv6, which the port drops ("gso-unsupported").
package middlebox
