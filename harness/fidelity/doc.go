// Package fidelity judges whether the numbers of a live run can be believed. An emulation
// on a busy machine measures the machine.
//
//	evidence of each node ──┐
//	                        ├──> Judge ──> trusted | busy | invalid, and why
//	share of the processors ┘
//
// The rules, of which the worst decides:
//
//	                            trusted up to               invalid beyond
//	p99 lateness of timers      1 ms or 1% of an iteration  5 times that
//	longest lateness            half an iteration           -
//	packets lost unasked        0                           0.1% of a node's packets
//	processors busy             85%                         97%
//	a node's own thread busy    90%                         -
//	computes that overran       0                           5% of the iterations
//
// All limits are assumed, with reasons in limits.go. Each reason of a verdict names the
// worst node and its number, and counts the others.
//
// Left out: runs under the virtual clock, which are exact; gathering the evidence (package
// live); whether the sums are right (package check).
package fidelity
