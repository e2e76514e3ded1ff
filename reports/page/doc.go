// Package page writes a report as one HTML document that needs nothing else: no script that it rests
// on, no font, no request.
//
//	            +-----------------------------------------+
//	Title       |  straggler                              |
//	Verdict     |  [ 12 of 12 runs trusted, 0 wrong    ]  |
//	Lead        |  Question. Answer.                      |
//	Sections    |  contents: comparison, figures, ...     |
//	            |  ## Comparison                          |
//	            |     []Block: Text, Table, Figure,       |
//	            |     Facts, Command, Details             |
//	Foot        |  inalab v1, commit, when                |
//	            +-----------------------------------------+
//
// A [Page] is plain data; [Write] makes HTML of it, and [WriteMarkdown] the same in Markdown, with figures
// as links to files. The same page gives the same bytes. All text is escaped; figures are SVG of
// package figure and package netfigure, which escape theirs.
//
// Colours follow the reader's light or dark scheme; figures are drawn for white and are turned
// over in the dark. What is wider than the window scrolls in a box of its own. In print all details are
// open. A colour never says anything alone: a word or a sign stands beside it.
//
// Left out: what a report says (packages runreport and claimreport).
package page
