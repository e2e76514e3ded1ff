// Package watch looks at all switches of a running lab at once, and tells rates from two looks.
//
//	lab's directory ──> Look ──> Snapshot ─┐
//	                                       ├──> Rates
//	         a while later ──> Snapshot ───┘
//
// It reads tables as the engines give them: a column of words, or the first one, names a row, and every
// other one is a number of it. So it names no system, and a new view needs nothing here.
//
// Left out: what hosts do; showing anything.
package watch
