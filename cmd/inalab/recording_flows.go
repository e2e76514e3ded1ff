package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

// flows reports whether there are any beside the jobs.
func (r *recording) flows() bool {
	return slices.ContainsFunc(r.cells, func(c result.Cell) bool { return len(c.Flows) > 0 })
}

// showFlows shows people the flows below the systems. Programs find them in flows.csv.
func (r *recording) showFlows(opt render.Options) error {
	return r.showBelow(render.Flows(r.measured()), opt)
}

// showBelow shows people a table that has rows below those before it.
func (r *recording) showBelow(t render.Table, opt render.Options) error {
	if len(t.Rows) == 0 || opt.Format == render.FormatCSV || opt.Format == render.FormatJSON {
		return nil
	}
	if _, err := fmt.Fprintln(r.stdout); err != nil {
		return err
	}
	return render.Write(r.stdout, t, opt)
}

// writeFlows writes flows.csv.
func (r *recording) writeFlows() error {
	if !r.flows() {
		return nil
	}
	return r.dir.Write("flows.csv", func(w io.Writer) error { return render.WriteFlows(w, r.measured()) })
}
