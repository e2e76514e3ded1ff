package main

import (
	"io"

	"github.com/inalab/inalab/reports/render"
)

// writeDecisions writes decisions.csv, if servers decided something.
func (r *recording) writeDecisions() error {
	cells := r.measured()
	if len(render.Decisions(cells).Rows) == 0 {
		return nil
	}
	return r.dir.Write("decisions.csv", func(w io.Writer) error { return render.WriteDecisions(w, cells) })
}
