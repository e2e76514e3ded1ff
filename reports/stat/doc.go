// Package stat answers the questions that a report asks of repeated
// measurements: what was the mean, how well is it known, by what factor do two
// systems differ, where are the quantiles.
//
//	values ──► Mean ─────────► Estimate: value, 95% half-width, n, warnings
//	pairs  ──► RatioOfMeans ──► Estimate
//	values ──► Quantile ──────► value, warnings
//
// Intervals are two-sided 95% intervals of Student's t. A ratio is that of the
// means of two series that ran under the same schedule, paired by iteration, so
// that what both suffered alike does not widen its interval (linearisation, or
// delta method: Cochran, Sampling Techniques, chapter 6).
//
// Warnings stand beside the answers, not in their place: too few values, no
// spread at all, a ratio whose denominator is badly known. An answer that
// cannot be given is NaN, a half-width that cannot is +Inf, and a warning says
// why.
//
// Sums run in index order and every product is rounded before it is added, so
// that one input gives one answer on every machine.
//
// Left out: tests of significance, and corrections for series whose values
// depend on each other.
package stat
