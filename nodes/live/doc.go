// Package live is the processes of hosts: a worker, or a server that serves workers. Each
// binds its machine to kernel sockets in the namespace of its host, and drives it by the
// wall clock (package shell). A host may have several, each with ports of its own.
//
//	UDP protocols   one UDP socket with segmentation offload (package udp)
//	byte streams    a TCP connection to each peer (package tcp)
//
// What a worker sent and was given is written to a file of tensors that only the checker
// reads. A server starts nothing itself: it serves from when its sockets are open until
// whoever started it says stop, which is when all workers have ended. A worker that
// closes its streams in order is done, and no error; one that resets them is.
package live
