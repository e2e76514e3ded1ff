// Package scenarios is the catalogue of experiments: *.scenario.yaml files, some of them
// embedded, their strict decoder, and the resolver that makes jobs of one.
//
//	file --decode (unknown keys are errors)--> raw --resolve--> Scenario --Jobs--> []*job.Job
//
// Each system reads its knobs (job.Knobs) from a section of its own. The allowed sections
// and keys follow from the list of systems that Load gets.
//
// Errors read "file:line:col: what is wrong, what is allowed", with the line quoted. Values
// may be set by path (--set trio.wake=naive), with the same checks.
package scenarios
