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
// core, by the host's UDP port. A core is the loop of the public SwitchML client: it takes
// a burst of what waits, at most 32 packets, and gathers what it sends until there are 32,
// or until a poll finds nothing and 10 us have passed since the last call that sent.
//
//	                     +--> [ queue ] --> core 0: bursts --> transmit buffer --+
//	wire --> latency ----+--> [ queue ] --> core 1: bursts --> transmit buffer --+--> wire
//	                                          |    ^
//	                                     protocol core
//
// What the protocol core sends of its own accord, the first packets of a tensor and what
// was lost, leaves by a call of its own once a poll found nothing; its timers are looked
// at then. Where in its 10 us the clock of an idle core stands is chance; taken is the
// longest wait.
//
// Messages of RoCE cost one core a time each, and their packets nothing: the network card
// makes and takes them.
//
// Every number is in constants.go, with its place in a paper or the word "assumed", and
// the range of what is assumed. None was fitted to a result. [Constants] notes which of
// them a calculation used, and can be made with one of them changed.
//
// Left out: interrupts; in a Host, batching (in its latency); rings of descriptors that
// overflow (the client has 1024 a core, more than slots); caches and NUMA; a GPU's time for
// copies; memory bandwidth shared with training; the cost of messages of byte streams.
package hostmodel
