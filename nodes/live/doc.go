// Package live holds the processes of hosts: a worker, a server of workers, or the ends of
// flows. Each binds its machine to kernel sockets in its host's namespace, and drives it by
// the wall clock (package shell). A host may have several, each with ports of its own.
//
//	UDP protocols   one UDP socket with segmentation offload (package udp)
//	IP protocols    a raw socket of that protocol beside the UDP socket (package rawip)
//	byte streams    a TCP connection to each peer (package tcp)
//	flows of UDP    a machine of package traffic on a UDP socket, each
//	collectors      the same: they take what programs in switches report
//	flows of TCP    the kernel's TCP alone, written by the times of package traffic
//
// A worker writes the tensors that it sent and received to a file, for the checker. A
// server serves from ready until its parent says stop, after all workers have ended. A
// worker that closes its streams in order is done; one that resets them is an error.
//
// A worker leaves its model for another one in a file ([Checkpoint]) when its parent asks
// for that, and joins a run with such a file when its start names one. The file crosses by
// the disk of this machine, not by the network of the lab.
//
// A machine may hold objects of the kernel, such as XDP programs on the host's interface. It makes
// them before the sockets are opened, and gives them back when it is closed, which is the last thing
// that the process does.
//
// Workers, and receivers of flows, count what they take from the kernel by interval of time,
// where they are told to, and report that at the end.
package live
