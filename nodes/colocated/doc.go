// Package colocated is a worker and a server of one job on the same host, as one machine of one UDP port.
//
//	           host
//	+---------------------------+
//	|  worker --own packets--.  |
//	|    |  ^                v  |
//	|    |  '--results--- server   <---- packets to the host's address
//	+----|------------------|---+
//	     v                  v
//	 other servers     the group of the workers
//
// What the two send each other stays in memory, in both clocks alike: a kernel keeps what a host sends to
// itself, and a network card does not hear its own multicast. So no switch sees the packets of the server's own
// worker, and the fan-ins of its server leave that one out. Frames that arrive are the server's where they
// are for the host's address, and else the worker's.
//
// Left out: several servers, or workers, of one host; what handing over in memory costs a processor.
package colocated
