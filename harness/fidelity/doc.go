// Package fidelity judges whether the numbers of a live run are to be believed.
// An emulation on a busy machine measures the machine; this package says when.
//
//	evidence of each node ──┐
//	                        ├──> Judge ──> trusted | busy | invalid, and why
//	share of the processors ┘
//
// The rules, worst one wins:
//
//	                            trusted up to               invalid beyond
//	p99 lateness of timers      1 ms or 1% of an iteration  5 times that
//	longest lateness            half an iteration           -
//	packets lost unasked        0                           0.1% of a node's packets
//	processors busy             85%                         97%
//	a node's own thread busy    90%                         -
//	computes that overran       0                           5% of the iterations
//
// All limits are assumed: the papers ran on hardware that had no such doubts.
// They are named constants with their reasons in limits.go.
//
// A trusted verdict has no reasons. Each reason names the worst node and its
// number, and counts the others. Runs under the virtual clock are exact and not
// judged here. What is left out: gathering the evidence (package live does), and
// whether the sums are right (package check).
package fidelity
