// Package sansiotest runs machines against each other in memory, for tests of
// protocols that have two ends. It keeps a driver's duties to the letter
// (package sansio) and does little else: no rates, no queues, no models.
//
//	Host(core) --wire: delay, drop()--> switch program --wire--> Host(core)
//
// Wires keep order unless a test delays or duplicates frames. What a machine borrowed is overwritten when it may no
// longer look at it, so a core that keeps a slice too long gives wrong sums. A
// run is the same every time: events are ordered by time, then by the order in
// which they were caused.
package sansiotest
