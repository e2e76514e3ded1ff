// Package page writes a report as one document that can be sent to somebody: HTML in one file, or Markdown.
//
//	Page ─┬─ Verdict        what it came to, first
//	      ├─ Lead           blocks before the contents
//	      ├─ Search         among the cards
//	      └─ []Section ─┬─ []Block     paragraphs, tables, figures, bars, lists, links, details, commands, cards
//	                    └─ []Section   one level below
//
// The HTML asks for nothing: style and figures stand in it, and it has no script but that of a [Search], without
// which nothing is missing. A policy in the page forbids the rest. It is light or dark as the reader's system is,
// prints, and needs no more than 400 pixels of width: what is wider scrolls inside a box of its own. Markdown names
// the figures as files.
//
// All text is escaped. What a figure holds is trusted: packages figure and netfigure escape theirs.
//
// Left out: what a report says (packages runreport and claimreport).
package page
