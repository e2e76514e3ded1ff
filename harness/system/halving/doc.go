// Package halving is the system all-reduce by recursive halving and doubling: its knobs,
// its layout over a job, and its machines. The protocol is in nodes/halving.
package halving
