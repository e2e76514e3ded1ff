// Package shell is the life of one node's process, a switch, a worker or a server. It
// connects the machine, its device, and the parent that started the process.
//
//	device <--trains--> machine        Node.Run
//	                       ^
//	parent: ready, start, asks and answers
//
// Workers and servers wait for the start of their run. A switch forwards from ready on.
// A running node answers questions on the goroutine that drives the machine.
//
// Left out: what a node consists of and reports (packages nodes/live and
// switchd/daemon), and the form of the conversation (package harness/proc).
package shell
