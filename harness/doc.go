// Package harness runs experiments: a list of jobs, one after another, each by
// a [Runner] under one of the two clocks.
//
//	Experiment --job by job--> Runner (live or sim) --> result.Cell --> reports
package harness
