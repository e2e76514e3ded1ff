// Package host is a host with several machines on its one interface, such as a worker and
// a server, or workers of two jobs.
//
//	             +--UDP port 9000--> worker
//	interface ---+
//	             +--UDP port 9001--> server
//
// A frame goes to the machine with its UDP destination port. One machine may take all
// other frames. Sends leave in the order in which the machines were called. In live runs
// the kernel does this: each machine is a process with a socket.
//
// Left out: TCP ports.
package host
