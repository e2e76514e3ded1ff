package main

import (
	"errors"
	"io"

	"github.com/inalab/inalab/reports/render"
)

// showTransit shows people what programs that frames pass counted, and reported. Programs find
// it in files.
func (r *recording) showTransit(opt render.Options) error {
	return errors.Join(r.showBelow(render.Reports(r.measured()), opt), r.showBelow(render.Transit(r.measured()), opt))
}

// writeTransit writes transit.csv and reports.csv, as far as there are such programs and
// collectors.
func (r *recording) writeTransit() error {
	var errs []error
	cells := r.measured()
	if len(render.Transit(cells).Rows) > 0 {
		errs = append(errs, r.dir.Write("transit.csv", func(w io.Writer) error { return render.WriteTransit(w, cells) }))
	}
	for _, c := range cells {
		if c.Collected {
			errs = append(errs, r.dir.Write("reports.csv", func(w io.Writer) error { return render.WriteReports(w, cells) }))
			break
		}
	}
	return errors.Join(errs...)
}
