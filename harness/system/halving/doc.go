// Package halving is the system all-reduce by recursive halving and doubling: its knobs, how it lies over a
// job, and how its machines are made. The protocol itself is in nodes/halving.
package halving
