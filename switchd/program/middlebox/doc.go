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
package middlebox
