// Package scenarios is the catalogue of experiments: *.scenario.yaml files, some of them
// embedded, their strict decoder, and the resolver that lays jobs out.
//
//	defaults.yaml, file, --set --decode--> raw --resolve--> Scenario --Sets--> []*job.Set
//	                      ^                                    |
//	                      +-- the values of each point --------+ sweep
//
// Unknown keys are errors. Each system reads its knobs (job.Knobs) from a section of its own:
// the allowed sections and keys follow from the list of systems that Load gets. A point of a
// sweep is the file with the values of the point as overrides, checked as such.
//
// Errors read "file:line:col: what is wrong, what is allowed", with the line quoted. Values
// may be set by path (--set trio.wake=naive), with the same checks. docs/scenarios.md is the
// page for users. docs/scenario-fields.md lists every key: fieldtexts.go has the texts of those of all files,
// and the systems those of their sections.
package scenarios

//go:generate go test -run ^TestFieldsPage$ -update .
