// Package sim drives the machines of the live testbed under the virtual clock: one
// goroutine, one event queue, picoseconds.
//
//	queue --(at, node)--> Expire --sends--> inboxes --> Handle --sends--> ...
//
// Wires between nodes are ideal. Rate, delay and loss are in the link models of the
// switches' ports, as in live runs. A frame that a node sends is copied, and arrives at the
// same instant.
//
// Events run in order of (time, order of scheduling), so two runs of one seed are the same
// to the last byte. A run in which nothing can happen any more ends with [ErrStalled].
package sim
