// Package job lays a training job over an addressed topology: from a system, a
// model and a schedule of stragglers to the configuration of every node, the same
// for both clocks. It does what the control plane and the job scheduler of the
// papers' testbeds do, and it is pure.
//
//	plan + Spec --> worker.Config for each host, chassis.Config for each switch
//	            --> the iteration times that must follow ([Expect])
//
// Runs are scaled: link rates, model size, windows and pools are divided by one
// factor, times and packet sizes stay. What cannot be divided so is listed in
// Notes.
//
// What differs between protocols is in one value for each, a [System]. Those of
// the papers are here, a file each; docs/add-a-system.md says how to write a
// further one. Nothing else in this package, nor what runs jobs, names one.
package job
