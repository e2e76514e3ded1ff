package main

import (
	"io"

	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
)

// showRepeats shows people the means over the seeds, if there are several.
func (r *recording) showRepeats(rows []compare.Row, opt render.Options) error {
	return r.showBelow(render.Repeats(rows, r.baseline()), opt)
}

// writeRepeats writes repeats.csv, if there are several seeds.
func (r *recording) writeRepeats(rows []compare.Row) error {
	if len(compare.Repeats(rows)) == 0 {
		return nil
	}
	return r.dir.Write("repeats.csv", func(w io.Writer) error { return render.WriteRepeats(w, rows, r.baseline()) })
}
