// Package sim drives machines under the virtual clock: one goroutine, one event
// queue, picoseconds. The machines are those of the live testbed.
//
// Wires between nodes are ideal; rate, delay and loss are in the link models
// that sit in the switches' ports, as they do live. What a node sends is copied,
// and is with its peer at the same instant; a node's deadlines wait in the
// queue.
//
//	queue --(at, node)--> Expire --sends--> inboxes --> Handle --sends--> ...
//
// The order of everything is that of (time, order of scheduling), so two runs of
// one seed are the same to the last byte. A run in which nothing can happen any
// more ends with [ErrStalled].
package sim
