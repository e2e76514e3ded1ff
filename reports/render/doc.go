// Package render writes results for people and for programs.
//
//	[]compare.Row ──► Comparison, SweepTables ──► Table ──► Write ──► table
//	other commands ─────────────────────────────► Table          ├─► wide
//	                                                             ├─► markdown
//	                                                             ├─► csv
//	                                                             └─► json
//	[]result.Sample ──► samples.jsonl
//
// A [Table] is columns, cells and notes without layout. Formats for people put units in
// headers, and columns that are equal in every row below the title. They write "-" where a
// number does not apply, and draw in ASCII except on a terminal. Formats for programs leave
// such cells empty (null in JSON), carry every column under a stable key in the unit that
// COLUMNS.md names, and round to a millionth (times of series.csv to a picosecond).
//
// A number of a run with an invalid fidelity is never shown as a result. Tables say
// "invalid", wide puts it in parentheses, CSV and JSON keep it with a fidelity column.
//
// Left out: colours, HTML, figures and progress.
package render
