// Package host is a host with several machines on its one interface, such as a worker
// and the server beside it, or workers of two jobs.
//
//	             +--UDP port 9000--> worker
//	interface ---+
//	             +--UDP port 9001--> server
//
// A frame goes to the machine whose UDP port it is addressed to. Sends of all machines
// leave by the interface, in the order in which the machines were called. Live each
// machine is a process with a socket of its own, and the kernel does this.
//
// Left out: TCP ports. One machine may take all frames that are for no other.
package host
