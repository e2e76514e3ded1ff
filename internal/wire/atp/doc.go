// Package atp is the wire format of ATP packets over UDP, and what hosts agree on beside it: how
// packets are numbered ([Numbers]), which aggregator a packet names ([Index]), and which packets are
// there for what is left in switches alone ([Sweeps]).
//
// A packet has a header of 16 bytes and 62 values of 32 bits: 306 bytes with the headers of
// Ethernet, IPv4 and UDP, as the paper has it (§3.6). Its Figure 5 names the fields; that they go
// over UDP, their widths and their order are decided here. Everything is big-endian.
//
//	 0         4         8     9          12      14                      16
//	| bitmap 0 | bitmap 1 | job | sequence | index | fan-in 0:5 1:5 flags:6 | values ...
//
// Fan-ins are 1 to 32, and bear one less. A bitmap names the workers, or at the second edge
// switch racks and workers, whose values are in the sum. Packets are always full: what lacks at
// the end of a tensor is zero.
//
// Two packets are of a job that is set up anew ([Flags.Joins], [Flags.GoesOn]); they pass all aggregators.
//
// Packets of jobs with more than two levels (appendix A.2) go to another port, [DeepPort]. Behind the
// base header they have 8 bytes for each level from the third on:
//
//	 0          4
//	| bitmap k | fan-in:5 levels:4 level:4 reserved:19 |
//
// Levels and level are in the first alone: how many levels there are, and which of them the packet is on
// its way to. The flag of edge switches says of it whether it is above the first. Packets of three levels
// have 314 bytes, and those of [MaxLevels] 338.
//
// The public code (in-ATP/ATP) has the same fields in another order in frames of Ethernet type
// 0x0700 without UDP, 308 bytes in all.
package atp
