// Package conductor runs XAgg's management plane at the root of the tree, the PS (XAgg §V). Package
// manager decides which tree there is; a [Conductor] decides when, tells every node its place, and
// lets no iteration begin before all have it. It has no sockets and no clock.
//
//	worker  --- Round{t1, t2} ---->             ----> manager.Plan    after the first iteration
//	server  --- Report{load} ----->  Conductor  ----> manager.Adjust  between iterations
//	node    --- TreeAck{number} -->             ----> manager.Fail    in mid-iteration
//	node    <-- Tree{place} -------
//
// # Iterations
//
// The first iteration of [Plan] goes over the PS alone, the star. Then the conductor waits for the
// times of all workers, and for the first load of each server, but for those no longer than
// [Config.Startup]. If communication takes less than 10% of the time, the star stays. Otherwise it
// plans a tree. The other modes have their tree from the start. Where no server fits, the star stays
// for an iteration, and the conductor plans again after it.
//
// After each iteration the tree is adjusted to the latest loads. The next iteration may open when all
// nodes of the tree have acknowledged their places.
//
// # Failures
//
// A server of the tree fails for one of four reasons:
//
//   - It has not reported for 3 periods (assumed).
//   - It is overloaded: its memory with the model is more than 80% full, or its idle cores cannot carry
//     the bandwidth that was idle when it got its place (XAgg §V).
//   - Three reports in a row are without the place that it acknowledged, as after a restart (assumed).
//   - It has not acknowledged its place, which it was sent 10 times (assumed).
//
// In mid-iteration its children go to its parent and send all again. Between iterations the tree is
// adjusted without it. A server that reports again, and has acknowledged that it left, is a candidate
// after the iteration. Packets must not live longer than a server takes to start again.
//
// Nothing is counted twice: below any server that stays, the set of workers is the same as long as an
// iteration lasts, because nodes only move up, past servers that failed. So a parent that takes sums
// of a child as the values of all hosts below it ([xaggctl.Child]) knows by the bits of an element
// what is in it, whoever sent that.
//
// A server that fails may only be slow, and go on sending. Its former parent refuses its packets from
// the moment that it has its new place, because the server is no child any more. The server is told
// that it is in no tree: once, and again whenever it reports until it has acknowledged that. No
// iteration waits for its answer.
//
// # Orders
//
// An order has all of a node's place, so that a newer one replaces all before it. Each edge has the
// version of the tree that made it. An order waits for the order to the node's new parent to be
// acknowledged, so that a parent knows its children before they send. Versions wrap at 16 bits, numbers
// of orders at 32.
//
// # Duties of the caller
//
//  1. After every call, send what [Conductor.Orders] returns. An order to the root is for the caller
//     itself: carry it out and call [Conductor.Acknowledge].
//  2. Call [Conductor.Expire] at [Conductor.NextDeadline].
//  3. Call [Conductor.Open] when an iteration is to begin and [Conductor.MayOpen] allows it, and
//     [Conductor.Close] when all workers have its results.
//  4. Servers report once in a [Config.Period], whether they are in the tree or not. Workers repeat
//     the times of the first iteration until the next one opens.
//  5. A node takes an order whose number is newer than that of its last one, and answers every order.
//     It sends all of its gradient again when it gets an edge to a parent that it did not have and the
//     order says so.
package conductor
