// Package sansiotest runs machines against each other in memory, for tests of
// protocols with two ends. It keeps the duties of a driver (package sansio).
//
//	Host(core) --wire: delay, drop(), mark()--> switch program --wire--> Host(core)
//
// Wires keep order unless a test delays or duplicates frames. Memory that a machine
// borrowed is overwritten as soon as the machine may no longer read it; a core that
// keeps a slice for too long therefore gives wrong sums. Events are ordered by time,
// then by cause, so every run is the same.
//
// Left out: rates, queues, models.
package sansiotest
