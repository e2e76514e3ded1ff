package claimreport

import "github.com/inalab/inalab/reports/page"

// New returns the page of a check.
func New(s *Source) *page.Page {
	return &page.Page{Title: "Claims", Kind: "inalab · check of claims"}
}
