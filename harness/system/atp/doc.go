// Package atp is the system ATP (Lao et al., NSDI 2021): its knobs, its layout over the hosts and
// switches of a job, and its machines.
//
//	nodes/atp              workers
//	nodes/atpps            parameter servers, on hosts of their own
//	nodes/colocated        or beside workers
//	switchd/program/atp    switches
//
// Each server has a second edge switch, its own, and first edge switches, those of the workers
// elsewhere (§3.4). A worker behind the server's switch is there beside the racks. Where all workers
// are behind it there is one level, as on the paper's testbed of one switch (§5.1).
//
//	w0 w1 --> SW0 --+
//	w2 w3 --> SW1 --+--> SW2 --> server          SW2 adds what comes from SW0, SW1, w4 and w5 (Fig 9)
//	           w4 w5 ----^
//
// A worker on the server's host is a contributor of no level: its packets stay in the host's memory.
//
// With [AllLevels] every switch on the ways to a server aggregates (appendix A.2), if each packet has one way. The
// last level is that of the server's switch, and the others count down from there.
//
// Parameter packets go back to all workers by a multicast tree for each server, which is set up
// with the lab: there is no IGMP (§3.2).
package atp
