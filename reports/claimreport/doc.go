// Package claimreport makes the page of a check of claims from its directory alone.
//
//	claims.Result, Ledger ─NewClaim─┐
//	figures, tables, constants ─────┴► Record ─Write─► claims.json.gz ─┐
//	                                                  manifest.json ───┴─Read─► Source ─ New ─► page.Page
//
// The page has the papers one after the other, and each figure by figure as the paper numbers them: first figures, then
// tables, then what stands in sections and appendices alone. Each claim is a card with what is printed,
// what was measured, the evidence, the switch that ran, and the verdict. Figures stand above the
// claims of their number. Totals count by verdict and evidence; arithmetic and inputs are never reproduced.
//
// The record has all that the page says, and the data of figures, so that a later version can make
// the page again. A figure that cannot be drawn is named, and the rest stands.
//
// Left out: running anything (package experiments), the judgement (package claims), and the layout of pages
// (package page).
package claimreport
