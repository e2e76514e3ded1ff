// Package onehop measures one aggregator on real packets: what it makes of gradients that a worker
// sends and a parameter server counts, as XAgg's microbenchmarks do (XAgg §VI-B, Figs 6 to 11).
//
//	worker            server               parameter server
//	+-----------+     +--------------+     +------+
//	| generator |---->| aggregator   |  .->| sink |
//	| switch    |<----| under test   |  |  |      |
//	|    '------|-----|--------------|--'  |      |
//	| watch <---|-----|--------------|-----|      |
//	+-----------+     +--------------+     +------+
//
// Each host is a network namespace, and wires are veth pairs. The aggregators that take packets (XDP
// in the driver, generic XDP, a process that polls AF_XDP sockets) get them from one generator, an
// XDP program that the kernel runs in live-frame mode: no socket and no system call for a packet
// slows it down. What the aggregator sends leaves by the wire that it came by; the
// worker's end of that wire is the switch that sends it on. Each packet of the one worker finishes an
// element. TCP-Agg is a relay with connections to both sides, and the same logic (package
// switchd/program/xagg) between them.
//
// The aggregator has a CPU of its own if there are two, the hosts have another one. Its threads are
// the kernel's that poll the server's wire (threaded NAPI), or a process's; the scheduler counts their
// time. [Result.CoreRate] is packets for a second of that time, so other work on the CPU does not count.
//
// What veth can show, and what it cannot: there is no card, so nothing is measured of interrupts, of
// DMA and of a link's rate. A frame of the generator comes as one of a card's driver does, on a
// page of its own. The copy to the polling process, which a card does by DMA, is done by a thread on
// the hosts' CPU. That process sends through the kernel in copy mode, which no DPDK program does.
// Kernel TCP hands super-packets from host to host where a card would cut them; TCP without offloads
// cuts them at the sender, as the worst card would have it done.
//
// Nothing has a name in the file system, and all goes when the process ends.
package onehop
