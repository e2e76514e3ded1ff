// Package live runs a job on real packets: a namespace for every host and switch, a
// process in each, the wall clock.
//
//	lab up -> switches ready -> workers ready -> start at one epoch
//	       -> samples ... -> all workers done -> switches stop
//	       -> every delivered sum checked -> fidelity judged -> lab down
//
// After any failure, processes are ended and the lab is taken down. Reports of workers up
// to then are kept.
package live
