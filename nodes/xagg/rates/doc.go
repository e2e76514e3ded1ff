// Package rates is the rate negotiator of XAgg (XAgg §IV-C). Every node of the aggregation tree has
// a [Node]: a machine without sockets or clock that says at which rate its node may send, and how
// the bandwidth of its node is divided among the children.
//
//	worker  --- Request{phase, demand} --->  server  --- Request --->  PS
//	worker  <------- Notice{rate} ---------  server  <-- Notice -----  PS
//
// # Allocation
//
// Inequality (1) of the paper bounds the rates b of the children of a node: their sum must not
// exceed its idle ingress bandwidth, and the least of them not its egress bandwidth, because sums
// leave at the rate of the slowest child. The paper names no allocation. Here it is max-min
// ([Allocate]). Where the least rate would exceed the egress bandwidth, one child is held to it.
// A child that has not begun sends at 0 and lets nothing out, so that the second inequality waits
// for the last child to begin: meanwhile the node caches what its children send. A child that has
// ended counts no more, because its values are there.
//
// The egress bandwidth of a server is its own or what its parent grants, whichever is less. A
// server asks its parent for the rate at which sums would leave it: nothing before its last child
// begins, then the least rate of its children.
//
// The inequality says nothing of a child that begins late and is faster than a sibling: until it
// has caught up, sums leave at its rate.
//
// # At all times
//
// Messages can be lost, duplicated and late. The sum must hold nevertheless, so that a node counts
// for each child the most it could be sending at: the highest of the rate that it confirmed last
// and of all notices since. A reduction is sent at once and counts when it is confirmed. An
// increase is sent when the bandwidth is free by this count. A server confirms a lower rate to its
// parent when its own children have confirmed what makes it true. Between the end of a child and
// the confirmation of its siblings, sums may leave faster than the egress bandwidth: the child
// that ended sends at 0, which is all that the inequality asks.
//
// Where the bandwidth of a node falls ([Node.SetBandwidth]), the sum exceeds it until the children
// have confirmed less; it does not rise meanwhile.
//
// Requests and notices have sequence numbers: a newer one replaces an older one, whatever arrives
// first. Each holds the whole state of its sender and repeats the newest number heard from the
// other side, which confirms it. What is not confirmed is sent again after [Config.Resend].
//
// # Loss
//
// The groups of a node count what it lost of each child (package groups). More than 1% in a period
// cuts the rate of that child by the share lost ([Node.Loss]). The cut lasts until the child begins
// its next iteration (assumed: the paper has no recovery).
//
// # Duties of the caller
//
//  1. Call [Node.Begin] when a worker has a gradient, and [Node.End] when nothing of it is left to
//     send, also no retransmission: a worker that ended sends at 0.
//  2. After every call, send what [Node.Sends] returns. A send may be delayed: the paper's delays
//     are [PaperInitial] and [PaperUpdate].
//  3. Never send faster than [Node.Rate], from the moment of the call on that changed it: the next
//     request confirms it.
//  4. Call [Node.Expire] at [Node.NextDeadline].
//  5. At a server, call [Node.Linger] from the start of an iteration until its parent has all sums, and
//     send sums again at [Node.Spare] and no faster.
//  6. When the tree changes, call [Node.Move] on nodes that get another parent, and [Node.Adopt]
//     and [Node.Drop] on parents. A child that is dropped must send nothing to its former parent.
package rates
