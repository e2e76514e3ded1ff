// Package ps is all-reduce by sharded parameter servers: the tensor is cut into
// one shard a server; every worker sends shard i to server i, which adds what
// comes and sends the sums to all workers (SwitchML §3, §6.1).
//
//	worker 0 --shard 0--> server 0 --sums of shard 0--> every worker
//	         --shard 1--> server 1 --sums of shard 1--> every worker
//	worker 1 --shard 0--> ...
//
// Servers stand on machines of their own (dedicated) or beside a worker each
// (colocated). With as many servers as workers, a worker sends and receives the
// tensor once; a dedicated server has the same load, so that it takes twice the
// machines; a colocated one shares the worker's link, which takes twice the time,
// less the shard that stays on the host: 2(n-1)/n. [Config.Cross] sends that shard
// through the network too, for the plain factor of 2.
//
// A [Core] is a worker, and a colocated server with it; a [Server] is a dedicated
// one. Their ports are reliable byte streams, one for each pair of a worker and a
// server ([Config.Peers]): first those of the worker here to the servers, then
// those of the server here to the workers.
//
// A shard is a message as in package tensor: generation, server, bytes, then the
// shard. Sums go back in the same form. Shards are cut through: as soon as a slice
// of 32 KiB has come from every worker its sums go out. Worker w starts with the
// server behind its own place, so that the servers' links fill evenly.
//
// Left out: servers that keep parameters and apply the update, asynchronous
// training, and servers that do not wait for all workers.
package ps
