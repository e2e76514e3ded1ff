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
// There is no loss recovery, as in the paper's implementation (§7): a lost
// packet ages out at the switch, a lost result stalls this worker. The window
// is counted in packets (ambiguity trio.window-unit).
package trioml
