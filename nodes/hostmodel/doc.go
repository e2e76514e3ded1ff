// Package hostmodel says what hosts cost under the virtual clock: how long a host of
// each kind (DPDK, RDMA, kernel TCP) needs for a packet, with how many cores, and how
// far its software is from its wire.
//
//	           latency      cores: one server for both directions
//	wire --> ~~~~~~~~~~~ --> [ rx | tx ] --> protocol core --> [ rx | tx ] --> ~~~~ --> wire
//
// k cores are one server that serves a packet in 1/k of one core's time. Packets of
// both directions wait in order of arrival. This is right for the throughput of hosts
// that spread packets evenly (SwitchML §5, App B), and too fast for the latency of a
// single packet.
//
// A [MultiQueue] has a queue of the network card for each core instead. A flow has one
// core, by the host's UDP port. A core that falls behind takes up to 32 packets in a
// batch, which share a cost.
//
//	                     +--> [ queue ] --> core 0 (batches) --+
//	wire --> latency ----+--> [ queue ] --> core 1 ------------+--> protocol core
//
// Every number is in constants.go, with its place in a paper or the word "assumed".
// None was fitted to a result. [Constants] notes which of them a calculation used, and
// can be made with one of them changed.
//
// Left out: interrupts; in a Host, batching (in its latency); caches and NUMA; a GPU's
// time for copies; memory bandwidth shared with training.
package hostmodel
