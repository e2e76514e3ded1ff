// Package lookup is the modules of a PFE that find something for a packet: the hash over
// fields that a program chooses (trio §2.2), forwarding tables, and filters (trio §3.1).
//
//	fields --> Key --+--> Hash                 32 bits
//	                 +--> Filter  terms     --> first that matches
//	destination -------> Routes  prefixes  --> next hop of the longest
//	                         ^ filled by the control plane
//
// The paper names these modules and says no more of them than that the hash is of high
// quality and in dedicated logic. What they do here is assumed. A filter's term compares
// every field under a mask, as ternary memory does. A prefix is of IPv4.
//
// One goroutine owns a table. The control plane changes it between calls of the PFE.
//
// Left out: ranges in terms (several terms make one), prefixes of IPv6, and where the tables
// are stored: they take no shared memory of the program's.
package lookup
