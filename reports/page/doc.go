// Package page writes a report as one document that can be sent to somebody: HTML in one file, or Markdown.
//
//	Page ─┬─ Verdict        what it came to, first
//	      ├─ Lead           blocks before the contents
//	      └─ []Section ─┬─ []Block     paragraphs, tables, figures, bars, lists, details, commands
//	                    └─ []Section   one level below
//
// The HTML asks for nothing: style and figures stand in it, and it has no script. It is light or dark as the
// reader's system is, prints, and needs no more than 400 pixels of width: what is wider scrolls inside a box
// of its own. Markdown names the figures as files.
//
// All text is escaped. What a figure holds is trusted: packages figure and netfigure escape theirs.
//
// Left out: what a report says (package runreport).
package page
