// Package harness runs an experiment: a list of jobs, in their order, each by a
// [Runner] under one of the two clocks.
//
//	Experiment --job by job--> Runner (live or sim) --> result.Cell --> reports
//	                                                         ^
//	  for each seed, before its cells: the ideal, computed --+
//
// Jobs under the virtual clock run ahead of their turn on all cores ([Ahead]).
//
// The ideal is the compute time measured in the runs with the fewest stragglers, plus
// the analytic time of a ring at link rate. Left out: the meaning of the numbers (package
// compare) and their files (package archive).
package harness
