// Package xaggd holds the agents of XAgg: the user-space half of a worker, of an aggregating server
// and of the parameter server (XAgg §III, §IV). Each agent is a machine beside the store of its host,
// the elements of package switchd/program/xagg: in the kernel by XDP, or its twin under the virtual
// clock.
//
//	              gradients, IP protocol 253                results, one multicast group
//	Worker ------------------> store --sums--> store of the root ----------------> stores of workers
//	agent  <--- UDP 25300 ---> Server <------> Root  <-------- UDP 25300 --------> Worker
//
// # An iteration
//
//	Worker  Request{n} -> Server -> Root      asks for a rate (§IV-C)
//	Root    Notice{n}  -> Server -> Worker    when all workers have all results of n-1
//	Worker  gradients at the rate             in bursts; several send agents, interleaved (§IV-A)
//	Server  Lost -> Worker, gradients again   by groups of 1024 (§IV-D)
//	Worker  Done -> Server, Complete back     the three final checks
//	Server  Done -> Root, Complete back       the same, for sums that its store sent on
//	Root    Done -> Workers                   all results have left
//	Worker  Lost -> Root, results again; Complete -> Root
//
// Finished sums leave by the store itself. An agent sends again what was lost of them. The agent of
// a server asks for bandwidth as long as its parent lacks sums, so that it may do so.
//
// A node opens an iteration, which is to move the window of its store, on a notice of that iteration
// from above. So no gradient comes to a store before the element that it goes to is free, and every
// result can be sent again until all workers have it.
//
// # The tree
//
// A tree stays as it is configured, or the root has a management plane (package conductor): it opens an
// iteration when that allows it, and sends its orders, which agents carry out and acknowledge ([Place]).
// A node that gets another parent between iterations asks that one for its next rate. One whose parent
// failed in mid-iteration sends all again: a worker its gradient, a server its finished sums, while those
// that are not leave for the new parent by themselves. What the failed server had sent on counts once, by
// the bits of elements (xagg.Child).
//
// A server that restarts has lost what it knew of its neighbours. It refuses an order with edges of earlier
// versions, and the management plane then replaces it as one that does not answer.
//
// Servers report their load to the root, and workers the times of the first iteration (XAgg §V).
//
// # The end
//
// The last message of a job may be lost like any other. A worker that is finished answers the root's
// Done with Complete as often as it comes, and a server answers Done of its children. The root
// repeats its Done while a worker is silent, and needs no answer to end.
//
// # Decided here
//
// The paper has no messages for results on their way down, nor for the end of an iteration. A cut of
// the rate by loss is for workers ("for each worker", §IV-C): sums of a server finish out of order, so
// that a group of them has gaps that are no loss. The testbed's delays of negotiation are taken as nested:
// the 12 ms of a worker hold the 5 ms of its server, which hold the 2 ms of the root (assumed).
//
// Left out: several jobs beside one agent, and send agents as processes of their own: one thread sends
// their parts in turn.
//
// # Duties of the caller
//
//  1. Give each agent a store made of its configuration's Store method; a twin goes into [Twin].
//  2. Put the agent behind its store: xagg.NewHost(twin, agent), or the kernel's stack.
//  3. Keep servers and the root running until all workers have ended.
package xaggd
