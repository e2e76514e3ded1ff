// Package xagg is the system XAgg: its knobs, its layout over a job, and its machines. The
// agents are in nodes/xaggd, the elements in switchd/program/xagg and switchd/xdp.
//
//	hosts of the job   0 .. workers        servers ..     the last
//	machine            Worker              Server         Root
//	in front of it     results             sums           sums: elements, in the kernel or their twin
//
// Switches only forward. Live, the elements are in the kernel where XDP can be had, else in the
// process of the agent, which then takes packets from a socket. Under the virtual clock they are
// always the twin.
package xagg
