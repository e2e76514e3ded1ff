package main

import (
	"io"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

// writeDecisions writes decisions.csv, if servers decided something.
func (r *recording) writeDecisions() error {
	return r.writeRows("decisions.csv", render.Decisions, render.WriteDecisions)
}

// writeTimes writes times.csv, if it is known of some run where its time went.
func (r *recording) writeTimes() error {
	return r.writeRows("times.csv", render.Times, render.WriteTimes)
}

// writeRows writes a file of the runs, if its table has rows.
func (r *recording) writeRows(name string, table func([]result.Cell) render.Table, write func(io.Writer, []result.Cell) error) error {
	cells := r.measured()
	if len(table(cells).Rows) == 0 {
		return nil
	}
	return r.dir.Write(name, func(w io.Writer) error { return write(w, cells) })
}
