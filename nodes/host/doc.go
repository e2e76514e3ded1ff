// Package host is a host with several machines on its one interface, such as a worker and
// a server, workers of two jobs, or ends of flows.
//
//	             +--UDP port 9000---> worker
//	interface ---+--UDP port 9001---> server
//	             +--TCP port 20000--> end of a flow
//
// A frame goes to the machine with its destination port of UDP or TCP, or with its IPv4
// protocol if that has no ports. One machine may take all other frames. Sends leave in the order in which the machines were called. In live runs
// the kernel does this: each machine is a process with a socket.
package host
