// Package tcpagg is the system TCP-Agg, a baseline of XAgg: its knobs, its layout over a job, and its
// machines. The protocol is in nodes/tcpagg, the choice of the tree in harness/system/aggtree.
package tcpagg
