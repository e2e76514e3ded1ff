// Package figure draws the figures of a report: measured values and, beside them, those
// of a paper.
//
//	            +--------------------------------------+
//	Title       |  Iteration time under stragglers     |
//	legend      |  -o- measured   -s- ideal   x paper  |
//	            |  +----------+  +----------+          |
//	[]Panel     |  |     s    |  |     s  x |  Columns |
//	            |  | s o-o-o  |  | s o-o-o  |          |
//	            |  +----------+  +----------+          |
//	Notes       |  model, readings, assumptions        |
//	            +--------------------------------------+
//
// A [Figure] is plain data; [Write] makes SVG of it, [WriteInline] SVG whose colours a page sets ([Variables]),
// [WritePDF] a PDF. The same figure gives the same bytes. A [Drawing] is shapes instead of panels.
//
// A system keeps its colour, marker and dashes in all panels. The colours are the palette
// of Okabe and Ito for colour-blind readers; markers alone also tell systems apart.
//
// Text stays text in the file, in the reader's sans-serif font. Widths are those of
// Liberation Sans and Arial. Other fonts are still placed by middle or end where needed.
//
// Left out: bars, heat maps, and two Y axes in one panel, for which a second panel serves.
package figure
