// Package runreport makes the report of a run, or of several, from a results directory alone.
//
//	record.json.gz, manifest.json ─┐
//	topology.json, scenario.yaml ──┼─Read─► Source ─┬─ New ──► page.Page
//	events.ndjson.gz ──────────────┘                ├─ Many ─► page.Page, a section for each run
//	                                                └─ Pictures ─► SVG and PDF
//
// The verdict comes first: how far the rows can be believed, whether a sum was wrong, whether the
// expectations are met. The answer in words is computed from the rows at the point of the sweep at which
// iterations took longest. It never says more than the fidelity of these rows allows: rows that are invalid, or whose sums
// are wrong, have no part in it, and of a busy machine it says so.
//
// Left out: running anything, and the layout of pages (package page).
package runreport
