// Package runreport says what a run came to, as a page: from the directory of its results alone, so that
// reports of old runs can be made again.
//
//	manifest.json ──────┐
//	record.json.gz ─────┼─ Read ─► Run ─ Page ─► page.Page ─► report.html, report.md
//	topology.json ──────┘           └─ Figures ─► summary.svg, .pdf, ...
//
// The verdict comes first, then the question (of the scenario) and the answer (of its numbers), the comparison,
// figures, where the time went, the network with the use of its links, and what the numbers rest on.
// The answer says no more than the runs can bear: rows that are not to be believed are not compared,
// and the sentence says so.
//
// Left out: running anything, and the life of one block (package explain).
package runreport
