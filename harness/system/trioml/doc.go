// Package trioml is the system Trio-ML: its knobs, its layout over the PFEs of a chassis,
// its machines, and jobs on a running switch, which have the same layout.
//
//	nodes/trioml            hosts
//	switchd/program/trioml  PFEs: the reference program, and Microcode
package trioml
