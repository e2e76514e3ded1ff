// Package fidelity judges whether the numbers of a run can be believed. An emulation
// on a busy machine measures the machine, and a run that does something else than was asked of it
// measures that.
//
//	evidence of each node ──┐
//	                        ├──> Judge ──> trusted | busy | invalid, and why
//	share of the processors ┘                                 │
//	                                                          v
//	samples, resends, links of a run ────────────────────>  Hold ──> caution, and why
//	what it asked for ([job.Set.Bound]) ─────────────────────┘
//
// The worst of the rules in docs/fidelity.md decides. All limits are assumed, with reasons in
// limits.go. Each reason of a verdict names the worst node and its number, and counts the others.
//
// Left out: gathering the evidence (package live); whether the sums are right (package check).
package fidelity
