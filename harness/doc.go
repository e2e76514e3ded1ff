// Package harness runs experiments: a list of jobs, one after another, each by
// a [Runner] under one of the two clocks.
//
//	Experiment --job by job--> Runner (live or sim) --> result.Cell --> reports
//	                                                         ^
//	  for each seed, before its cells: the ideal, computed --+
//
// The ideal is the compute time that the runs with the fewest stragglers measured,
// plus the analytic time of a ring at link rate. Left out: what the numbers mean
// (package compare) and where they are written (package archive).
package harness
