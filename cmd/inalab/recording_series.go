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

// seriesFiles are a table and a figure of series.
type seriesFiles struct {
	name, title string
	recorded    func(result.Cell) bool
	write       func(io.Writer, []result.Cell) error
	draw        func(id, title string, cells []result.Cell) (figure.Figure, bool)
}

// writeSeries writes series.csv and series.svg, where series were recorded, and aggregations.csv and
// aggregations.svg, where servers said who added contributions.
func (r *recording) writeSeries() error {
	return errors.Join(
		r.writeSeriesFiles(&seriesFiles{
			"series", "throughput by time",
			func(c result.Cell) bool { return len(c.Throughput) > 0 }, render.WriteSeries, runfigure.Series,
		}),
		r.writeSeriesFiles(&seriesFiles{
			"aggregations", "contributions by time",
			func(c result.Cell) bool { return len(c.Aggregations) > 0 }, render.WriteAggregations, runfigure.Aggregations,
		}),
	)
}

func (r *recording) writeSeriesFiles(s *seriesFiles) error {
	cells := r.measured()
	if !slices.ContainsFunc(cells, s.recorded) {
		return nil
	}
	err := r.dir.Write(s.name+".csv", func(w io.Writer) error { return s.write(w, cells) })
	f, ok := s.draw(r.scenario.Name+"."+s.name, r.scenario.Name+": "+s.title, cells)
	if !ok {
		return err
	}
	f.Notes = append([]string{r.scenario.Description}, f.Notes...)
	return errors.Join(err, r.dir.Write(s.name+".svg", func(w io.Writer) error { return figure.Write(w, f) }))
}
