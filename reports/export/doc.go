// Package export turns results that were written earlier into what other programs read: those that
// show tests, compare benchmarks, draw trends, or put a summary beside a build.
//
//	results directory of a run          --+              +--> junit       JUnit XML
//	results directory of a reproduce    --+--> Report ---+--> benchfmt    Go's benchmark format
//	inalab bench ... --format json      --+              +--> gab-...     github-action-benchmark
//	                                                     +--> summary     Markdown
//
// A [Report] is what there is to say of one of them: checks, which hold or do not, and values, which were
// measured. A source that cannot be read is a report with one check in error, so that none is lost.
//
// Left out: what a run measured beside iteration times; tables, figures and reports of runs have it.
package export
