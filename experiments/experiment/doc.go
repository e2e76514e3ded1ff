// Package experiment says what an experiment is. An [Experiment] measures one or
// more claims of the ledger, a figure as a rule, and returns its [Findings]: a value
// for each claim, and tables with every point.
//
//	Env: seed, constants, readings --> Experiment.Run --> Findings: values, tables, figures
//
// All that it rests on comes from its [Env], which notes what was asked for. The
// assumed constants are listed with the result, and can be changed to see what that
// does. Readings are choices where the papers leave something open. [Printed] is
// what the papers print, for arithmetic on it. Nothing is fitted: a number that was
// fed in is an input, and is shown as one.
package experiment
