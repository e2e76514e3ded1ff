// Package capacity finds the largest rate at which this machine carries live runs: the least scale.
// A scale divides the rates of links and the size of models alike, so that the packets of an
// iteration pass in the same time at every scale, and what they cost the processors goes down as
// the scale goes up.
//
//	sets of jobs ──> Brief ──> a few iterations, live ──> Trial ──> Load: share of what the machine has
//	                                  ^                               │
//	scale of the rule ──> Find ───────┴──── the next scale to try ────┘──> Found
//
// A trial is judged by processor time above all, which other programs on the machine hardly change,
// and then by the shortest of its iterations, against the closed form or the same trial under the virtual
// clock, and by how late timers fire. A scale is carried where every trial stays within the limits of limits.go,
// all of them assumed, and of package fidelity.
//
// Left out: stragglers, losses, and what a scenario has happen at a time. The verdict on the run
// itself (package fidelity) sees what they do.
package capacity
