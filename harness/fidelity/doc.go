// Package fidelity judges whether the numbers of a live run can be believed. An emulation
// on a busy machine measures the machine.
//
//	evidence of each node ──┐
//	                        ├──> Judge ──> trusted | busy | invalid, and why
//	share of the processors ┘
//
// The worst of the rules in docs/fidelity.md decides. All limits are assumed, with reasons in
// limits.go. Each reason of a verdict names the
// worst node and its number, and counts the others.
//
// Left out: runs under the virtual clock, which are exact; gathering the evidence (package
// live); whether the sums are right (package check).
package fidelity
