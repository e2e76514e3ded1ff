// Package job lays a training job over an addressed topology: from a system, a model and
// a schedule of stragglers to the configuration of every node, the same for both clocks.
// It is pure, and stands for the control plane and the job scheduler of the papers.
//
//	plan + Spec --> worker.Config for each host, chassis.Config for each switch
//	            --> the iteration times that must follow ([Expect])
//
// Runs are scaled: one factor divides link rates, model size, windows and pools. Times and
// packet sizes stay. Notes list what cannot be scaled.
//
// A protocol is one value, a [System]. This package is the contract of systems and names
// none of them. Each lives in a folder of its own below harness/system;
// docs/add-a-system.md says how to write one.
package job
