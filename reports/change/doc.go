// Package change holds two sets of runs against each other and says which rows changed, and by how much.
//
//	old runs ─┐                    ┌─ pairs of each row ─► factor, p-value ─┐
//	          ├─ of one scenario? ─┤  (by seed, then by iteration)          ├─► Row: slower, faster, unchanged
//	new runs ─┘   else refused     └─ what has no part, and why ────────────┘
//
// A row is a system at one point of a sweep, as in summary.csv. Old and new runs of one seed have one schedule of
// straggles, so the k-th old run of a seed and the k-th new one are a pair. The value of a pair is the ratio of
// the mean iteration times, over the iterations that both sides finished. What happens to one iteration of a run
// bears on the next, and a whole run may be slow; so the pairs are runs, not iterations. Where
// there is one pair of runs only, stretches of consecutive iterations take their place, which says nothing of how runs differ.
//
// Live a row changed where the factor is beyond the threshold, and the paired t-test finds it no chance,
// corrected for the number of rows (Holm). Under the virtual clock a seed always gives the same times, so that
// every difference is of the builds: the threshold alone decides.
//
// Runs that differ in clock, scale or scenario are refused. Rows that one side lacks, and those that are not to be believed, stay
// in the table with the reason.
//
// Left out: what rows have beside iteration times.
package change
