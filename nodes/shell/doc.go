// Package shell is the life of one node's process, be it a switch, a worker or a
// server: what lies between a machine, the device that it is driven on, and the parent
// that started the process.
//
//	device <--trains--> machine        Node.Run
//	                       ^
//	parent: ready, start, asks and answers
//
// A node either waits for the start of its run, as workers and servers do, or runs from
// ready on, as a switch does, which forwards before. While it runs it answers questions
// about its state, on the goroutine that drives the machine.
//
// Left out: what a node is made of, and what it reports in the end (packages nodes/live
// and switchd/daemon), and the form of the conversation (package harness/proc).
package shell
