// Package stat answers a report's questions about repeated measurements: the mean, how
// well it is known, the factor between two systems, quantiles.
//
//	values ──► Mean ─────────► Estimate: value, 95% half-width, n, warnings
//	pairs  ──► RatioOfMeans ──► Estimate
//	pairs  ──► PairedFactor ──► Factor: value, 95% interval, p-value
//	p-values ► Holm ─────────► p-values corrected for their number
//	values ──► Quantile ──────► value, warnings
//	values ──► MedianInterval ► low, high
//
// Intervals are two-sided 95% intervals of Student's t, but for that of a median, which are order statistics. A ratio is that of the means of two
// series under one schedule, paired by iteration, so that common delays do not widen its
// interval (linearisation, or delta method: Cochran, Sampling Techniques, chapter 6).
//
// Answers carry warnings: too few values, no spread, a badly known denominator. An
// impossible answer is NaN, an impossible half-width +Inf, and a warning says why.
//
// Sums run in index order and every product is rounded before it is added, so that one
// input gives one answer on every machine.
//
// Left out: corrections for series with dependent values.
package stat
