// Package trioml is the host side of Trio-ML (Trio, SIGCOMM 2022, §4 and §5). A
// worker streams the blocks of its gradient to the router. It divides each result by
// the number of workers in it (src_cnt), which is lower in degraded results. A [Core]
// is a machine with one port, the worker's interface.
//
//	blocks --at most Window packets without a result--> router
//	mean   <-- sum / src_cnt <------- results ---------- router
//
// The paper does not say what a straggler does when it wakes up (ambiguity
// trio.wake). A worker takes results at any time, also while it computes or sleeps,
// and keeps them by generation. Its [WakePolicy] decides what it then sends.
//
// A router that tells temporary from permanent stragglers (§5, "Advanced straggler
// mitigation") sends all workers of a job a notice when a worker goes out of service, and
// when it is back (docs/trio-ml.md). All workers then compute a generation with the same
// colleagues, unless a notice is lost or too late. Replicas stay equal even then, since the
// divisor is in the results.
//
// There is no loss recovery, as in the paper's implementation (§7): a lost packet ages
// out at the switch, and a lost result stalls this worker. The window is counted in
// packets (ambiguity trio.window-unit).
package trioml
