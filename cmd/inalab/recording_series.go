package main

import (
	"errors"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/runfigure"
)

// writeSeries writes series.csv and series.svg, where series were recorded.
func (r *recording) writeSeries() error {
	cells := r.measured()
	if !slices.ContainsFunc(cells, func(c result.Cell) bool { return len(c.Throughput) > 0 }) {
		return nil
	}
	err := r.dir.Write("series.csv", func(w io.Writer) error { return render.WriteSeries(w, cells) })
	f, ok := runfigure.Series(r.scenario.Name+".series", r.scenario.Name+": throughput by time", cells)
	if !ok {
		return err
	}
	f.Notes = append([]string{r.scenario.Description}, f.Notes...)
	return errors.Join(err, r.dir.Write("series.svg", func(w io.Writer) error { return figure.Write(w, f) }))
}
