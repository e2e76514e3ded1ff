// Package parity compares two runs of one job, one under each clock: the traffic must not
// depend on the clock.
//
//	virtual --tensors, counters--+
//	                             +--> the same elements, bit for bit ([Tensors])
//	live -----tensors, counters--+    the same counts of messages     ([Messages])
//
// Tensors are the quantised integers that each worker sent and received, by generation, in
// the live lab's files or in a [Recording]. They agree if the same workers are in every
// sum. Messages agree if also no packet is lost. Messages of the kernel itself, and those
// that depend on the transport, are not compared.
//
// Left out: times, in which the clocks differ, and how often timers ran.
package parity
