// Package render writes results where people and programs read them.
//
//	[]compare.Row ──► Comparison, SweepTables ──► Table ──► Write ──► table
//	other commands ─────────────────────────────► Table          ├─► wide
//	                                                             ├─► markdown
//	                                                             ├─► csv
//	                                                             └─► json
//	[]result.Sample ──► samples.jsonl
//
// A [Table] is columns, cells and notes without any layout. Formats for people
// put units in headers, align numbers to the right, write "-" where a number
// does not apply, name columns that are the same in every row in a line under
// the title, and draw in ASCII unless told that a terminal is watching. Formats
// for programs leave a cell empty (null in JSON), carry every column under a
// stable key in the unit that COLUMNS.md names, and round to a millionth, so
// that one seed gives the same bytes on every machine.
//
// A number whose run has an invalid fidelity is never shown as a result: tables
// say "invalid", wide puts it in parentheses, CSV and JSON keep it beside a
// fidelity column that says invalid.
//
// Nothing is coloured, so NO_COLOR holds without asking. Left out: HTML, figures
// and progress.
package render
