// Package scenarios is the catalogue of experiments: *.scenario.yaml files, of
// which some are embedded, their strict decoder, and the resolver that turns
// one into jobs to run.
//
//	file --decode (unknown keys are errors)--> raw --resolve--> Scenario --Jobs--> []*job.Job
//
// Each system reads its knobs from a section of its own (see job.Knobs); which
// sections and keys there are follows from the list of systems that Load is given.
//
// Errors read "file:line:col: what is wrong, what is allowed", with the line
// quoted. Values may be overridden by path (--set trio.wake=naive), with the
// same checks.
package scenarios
