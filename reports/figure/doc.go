// Package figure draws the figures of a report: what was measured, and beside it
// what a paper states.
//
//	            +--------------------------------------+
//	Title       |  Iteration time under stragglers     |
//	legend      |  -o- measured   -s- ideal   x paper  |
//	            |  +----------+  +----------+          |
//	[]Panel     |  |     s    |  |     s  x |  Columns |
//	            |  | s o-o-o  |  | s o-o-o  |          |
//	            |  +----------+  +----------+          |
//	Notes       |  model, readings, what is assumed    |
//	            +--------------------------------------+
//
// A [Figure] is plain data; [Write] makes SVG of it. The same figure gives the
// same bytes: there is no date and no random in it. A system keeps its colour,
// marker and dashes in all panels of a figure. Colours are told apart by people
// who do not see all of them (the palette of Okabe and Ito), and none is needed:
// markers differ, too. The legend stands above the panels and covers no data.
//
// Text stays text in the file, in the reader's sans-serif font; widths are those
// of Liberation Sans, which Arial and Helvetica share. Text in any other font is
// still placed by its middle or its end, where that is what counts.
//
// Left out: bars, heat maps, and two Y axes in one panel, which invite comparing
// what cannot be compared; a second panel below does that.
package figure
