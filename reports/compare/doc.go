// Package compare turns the runs of a sweep into the rows of summary.csv: what
// each system took, against the ideal, against a baseline, and how far that can be
// believed.
//
//	cells ──► one series a cell ──► Row ──► + ratios to the ideal and
//	          (mean over workers,           to the baseline ──► sorted rows
//	          by iteration)
//
// The iteration time of a worker is the span between its consecutive model
// updates. A cell's is the mean over all workers and iterations, the straggler
// included: each iteration gives the mean over its workers, and n, the interval
// and the pairing count iterations, since workers that wait for each other are
// not independent. An iteration that not every worker finished is left out, with
// a warning.
//
// The caller names the baseline. The speed-up over it is the ratio of the two means,
// paired by iteration: both systems ran under one schedule of straggles.
//
// Left out: whether the numbers meet a paper's claim, and how they look (package
// render).
package compare
