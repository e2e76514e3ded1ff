// Package middlebox loads a PFE with a Microcode program that all traffic of the
// PFE passes on its way, and that may keep a record of each sender, pair or flow in
// the hash table (trio §7).
//
//	packet --> program --> record in the hash table
//	              |               ^
//	              +--> HopForward |  or dropped
//	                              |
//	       timer threads, each of its part of the table
//
// What such programs have in common is here: the PFE of [Config], its one timer,
// the next hop of what passes, and how the control plane sets variables. What a
// program counts, and what its records mean, is its own.
//
// # What passes
//
// Frames of every Ethernet type come to the program, with fragments, malformed packets and
// the padding of short frames; ARP comes where [Config] says so. The frames of a train are
// packets of their own. Those that leave unchanged one after another are one train again,
// but for a PFE with [Config].Timing, which sends each by itself. Packets of a flow stay in
// order; all that have no ports, such as fragments, are one flow by their Ethernet header.
//
// What the PFE does not carry is counted. With Timing it drops what finds no thread
// ("pfe-dispatch-queue-full") or no room ("pfe-packet-memory-full"). Two kinds do not come
// so far: bytes without an Ethernet header, which forwarding drops ("short-ethernet"), and
// super-packets of IPv6, which the port drops ("gso-unsupported").
package middlebox
