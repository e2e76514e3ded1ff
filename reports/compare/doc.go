// Package compare turns the runs of a sweep into the rows of summary.csv: the time of each
// system, its ratios to the ideal and to a baseline, and how far these can be believed.
//
//	cells ──► one series a cell ──► Row ──► + ratios to the ideal and
//	          (mean over workers,           to the baseline ──► sorted rows
//	          by iteration)
//
// The iteration time of a worker is the span between its consecutive model updates. Each
// iteration gives the mean over its workers, the straggler included. n, the interval and the
// pairing count iterations, since workers that wait for each other are not independent. An
// iteration that not every worker finished is left out, with a warning.
//
// The caller names the baseline. The speed-up over it is the ratio of the two means, paired by
// iteration: both systems ran under one schedule of straggles.
//
// Left out: whether the numbers meet a paper's claim, and their layout (package render).
package compare
