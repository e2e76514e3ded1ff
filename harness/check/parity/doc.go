// Package parity holds two runs of one job against each other, one under each
// clock: what crosses the network must not depend on the clock.
//
//	virtual --tensors, counters--+
//	                             +--> the same elements, bit for bit ([Tensors])
//	live -----tensors, counters--+    the same counts of messages     ([Messages])
//
// Tensors are what each worker sent and was given, quantised integers of every
// generation; live they are in the files of the lab while the run lasts, under
// the virtual clock a [Recording] takes them. They agree whenever the same
// workers are in every sum. Messages agree where no packet is lost either: then
// only what a kernel does by itself, or what depends on the transport, differs, and
// is left out of the comparison.
//
// What is left out: times, which are what the two clocks differ in, and how often
// timers ran.
package parity
