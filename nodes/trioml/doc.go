// Package trioml is the host side of Trio-ML (Trio, SIGCOMM 2022, §4 and §5): a
// worker streams the blocks of its gradient to the router with at most a window
// of packets waiting for their results, and divides what comes back by the
// number of workers behind it (src_cnt), which is lower in degraded results.
// A [Core] is a machine with one port, the worker's interface.
//
// The paper does not say what a straggler does when it wakes up (ambiguity
// trio.wake). Results are taken from the network at any time, also while the
// training thread computes or sleeps, and kept by generation; the policy says
// what the worker then sends:
//
//   - [WakeSkip] (the default): a block whose result is here already is not
//     sent any more, and a generation whose results are all here is applied
//     without this worker's part. The training loop so jumps to the newest
//     generation.
//   - [WakeNaive]: every block is sent, however late; a result counts once its
//     block has been sent. The switch's late policy decides what becomes of it.
//
// A router that tells temporary from permanent stragglers (§5, "Advanced straggler
// mitigation") sends a notice to all workers of the job when it takes one of them to
// be out of service, and when that one is back. It carries g, the newest generation
// that the router has seen, and holds from generation g+2 on. Nobody has begun to
// compute that one when the notice comes: this takes all results of g+1, which the
// router made after it saw a packet of g+1, so after the notice, and a port keeps
// their order. And everybody who begins g+2 has the notice. So all workers compute
// each generation with the same colleagues, those who were asleep too, since they
// take notices as they take results; g+1 would be too early, as a worker may hold
// all results of g. A notice that comes too late all the same, which takes a router
// that held it up for a whole generation, is counted and holds from the next; a lost
// one leaves its worker with another opinion until the next of that source. Neither
// makes the replicas differ: the divisor is in the results.
//
// Where the router aggregates in two levels, what a lower PFE finds comes by way of
// the top one, which puts its own newest generation into the notice. It sends notices
// as it sends results, and all that is said above of the router is true of it. What
// it finds itself is about a PFE, and holds for all workers below that: a worker is
// out of service if either notice says so.
//
// There is no loss recovery, as in the paper's implementation (§7): a lost
// packet ages out at the switch, a lost result stalls this worker. The window
// is counted in packets (ambiguity trio.window-unit).
package trioml
