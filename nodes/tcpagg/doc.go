// Package tcpagg is TCP-Agg, the baseline of XAgg that adds gradients up on servers along a tree,
// as XAgg does, over plain TCP (XAgg §VI-A). Each node has a byte stream to its parent.
//
//	worker 0 --gradient--\                 ^ sums        worker 2
//	                      > server --sum--> PS <--gradient--/
//	worker 1 --gradient--/  <---- sums ----- \--- sums -->
//
// A worker streams its tensor to its parent. A server adds what its children stream, and sends each
// slice of 8 KiB up as soon as all of them have brought it. The PS, which is the root, sends the
// sums of all workers down in the same way: XAgg's PS multicasts results, and TCP cannot. They go
// down the tree, each server copying what comes to its children, or with [Config.Direct] by a stream
// of its own to each worker. Servers and PS hold the whole tensor.
//
// A [Core] is a worker, a [Server] any other host. Their ports are reliable byte streams
// ([Config.Peers]): first that to the parent, then those to the children, then those of
// Config.Direct. A tensor is a message as in package tensor, of kind 0 up and 1 down.
//
// A link of a server with c children carries the tensor c+1 times each way, or c times down at the
// PS. With Config.Direct it carries it c times in and once out, and at the PS once out for each
// worker ([Config.Busiest]). Streams share links as their transport decides: sums down,
// or their acknowledgements, may wait behind gradients. At worst all gradients go up, then all sums
// down.
//
// Left out: how the tree is chosen (package manager of XAgg, by way of harness/system/aggtree), and
// changes of it: a server that dies ends the job.
package tcpagg
