// Package ps is all-reduce by sharded parameter servers (SwitchML §3, §6.1). The tensor
// is cut into one shard for each server. Every worker sends shard i to server i, which
// sends the sums to all workers.
//
//	worker 0 --shard 0--> server 0 --sums of shard 0--> every worker
//	         --shard 1--> server 1 --sums of shard 1--> every worker
//	worker 1 --shard 0--> ...
//
// Servers have machines of their own (dedicated) or share those of workers (colocated).
// With as many servers as workers, a worker sends and receives the tensor once, and so
// does a dedicated server: twice the machines. A colocated server shares the worker's
// link, so it takes 2(n-1)/n times as long: the shard of its own worker stays on the host.
// With [Config.Cross] that shard crosses the network too, for the plain factor of 2.
//
// A [Core] is a worker, and a colocated server with it; a [Server] is a dedicated one.
// Their ports are reliable byte streams, one for each pair of a worker and a server
// ([Config.Peers]). A shard is a message as in package tensor. Sums go back in the same
// form, each slice as soon as it has come from every worker: 32 KiB, or [Config.Partition].
// Worker w starts with the server behind its own place, so that the servers' links fill
// evenly.
//
// Left out: servers that keep parameters and apply the update, asynchronous training,
// and servers that do not wait for all workers.
package ps
