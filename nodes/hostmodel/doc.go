// Package hostmodel says what hosts cost under the virtual clock: how long a
// host of each kind (DPDK, RDMA, kernel TCP) needs for a packet, with how
// many cores, and how far its software is from its wire.
//
//	           latency      cores: one server for both directions
//	wire --> ~~~~~~~~~~~ --> [ rx | tx ] --> protocol core --> [ rx | tx ] --> ~~~~ --> wire
//
// The cores of a host are one server that works without rest: k cores serve a
// packet in 1/k of the time that one needs, and packets of both directions wait
// for it in the order in which they come. That is right for the throughput of
// hosts that spread packets evenly over their cores (SwitchML §5, App B), and
// too fast for the latency of a single packet.
//
// A [MultiQueue] has the cores apart, with a queue of the network card for each,
// and batches: a flow has one core, by the host's UDP port, and a core that falls
// behind takes more packets at a time, up to 32, which share a cost.
//
//	                     +--> [ queue ] --> core 0 (batches) --+
//	wire --> latency ----+--> [ queue ] --> core 1 ------------+--> protocol core
//
// Every number is in constants.go, with the place in a paper where it stands or
// the word "assumed". They were fixed with their reasons before any figure was
// run, and nothing was fitted to a result since. [Constants] notes which of them
// a calculation asked for, so that a result can say what it rests on, and can be
// had with one of them changed.
//
// Left out: interrupts and, in a Host, batching (in the latency), caches and NUMA, the time
// that a GPU needs for copies, memory bandwidth shared with training.
package hostmodel
