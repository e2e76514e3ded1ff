// Package xdp is XAgg's aggregator in eBPF for XDP (XAgg §IV-B): the program bpf/aggregator.c, and its
// loader. Package switchd/program/xagg is the same logic in Go and says what it decides; tests hold
// the two together packet by packet.
//
//	Load --> maps sized for the model, program verified
//	  Attach eth0 --> packets --> XDP program --> elements, check queue, counters
//	  Reconfigure --> config                           |
//	  Sum, Result, Drain, Lost, Tally <----------------+
//	Close --> detached, memory freed
//
// An element has a bpf_spin_lock, so packets may come by several queues, interfaces and CPUs. What is
// not XAgg's passes to the kernel's stack. Finished sums leave by the interface of the packet that
// finished them.
//
// Bitmap, counter and iteration of each element are also in a word of memory that this process shares with
// the kernel: lost lists cost no system call. Values are read under the lock, one element or
// 256 by a call.
//
// Everything hangs on descriptors of this process and nothing is pinned: the kernel detaches and
// frees it all when the process ends, however that comes.
//
// Duties of the caller:
//
//  1. Before Linux 5.18 the MTU of a veth's peer is at most [MaxMTU], since the driver takes a frame on one page.
//  2. What a veth sends from XDP arrives only if its peer has an XDP program or GRO, turned on when the
//     peer is up; the kernel drops it silently otherwise. For that reason the program redirects to
//     the interface of the packet: XDP_TX would need the program.
//  3. Load asks the kernel for the whole model's memory at once; see [Options].
package xdp
