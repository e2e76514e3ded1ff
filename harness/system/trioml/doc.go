// Package trioml is the system Trio-ML: its knobs, how it lies over the PFEs of a
// chassis, how its machines are made, and jobs that are added to a running switch.
//
//	nodes/trioml            what hosts do
//	switchd/program/trioml  what PFEs do: the reference program, and Microcode
//
// A job of a run and a job that is added later are laid over PFEs by the same code.
package trioml
