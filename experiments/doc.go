// Package experiments runs what checks the papers' claims: for each claim of
// the ledger that the systems present can check, the run that measures it.
//
//	ledger --select--> claims --> experiments that measure them --run--> findings --judge--> report
//
// An [Experiment] measures one or more claims in one go, a figure as a rule, and
// writes the whole table of it, every point. It asks its [Env] for what it rests
// on: constants, of which the assumed ones are listed with the result and can be
// changed to see what that does; readings of what the papers leave open. Nothing
// is fitted: a number that was fed in is an input, and is shown as one.
//
// The list of experiments is in list.go. What no experiment measures yet is in
// missing.go, with the system that it waits for; a test holds the two against
// the ledger.
package experiments
