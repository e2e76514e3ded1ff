package main

import (
	"errors"

	"github.com/inalab/inalab/reports/render"
)

// showTallies shows people what systems counted of each job.
func (r *recording) showTallies(opt render.Options) error {
	var errs []error
	for _, sheet := range render.TallySheets(r.measured()) {
		errs = append(errs, r.showBelow(sheet, opt))
	}
	return errors.Join(errs...)
}

// writeTallies writes tallies.csv, if some system counts.
func (r *recording) writeTallies() error {
	return r.writeRows("tallies.csv", render.Tallies, render.WriteTallies)
}
