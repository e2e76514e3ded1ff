package runfigure

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
)

// injected names the points of injected delays.
const injected = "longest injected delay"

// Iterations returns the figure of iteration times, iteration by iteration: a panel for each job, and in it
// a line for each run, with bars from the fastest to the slowest worker where they differ, and the delays
// that were injected. name tells a run from the others. ok is false where no run is to be believed.
func Iterations(id, title string, cells []result.Cell, name func(*result.Cell) string) (f figure.Figure, ok bool) {
	f = figure.Figure{ID: id, Title: title, Columns: 1}
	var jobs, verdicts []string
	for _, c := range cells {
		if verdicts = append(verdicts, c.Fidelity.Verdict); c.Fidelity.Verdict != result.Invalid && len(c.Samples) > 0 {
			add(&jobs, c.Job)
		}
	}
	for _, job := range jobs[:min(len(jobs), maxPanels)] {
		f.Panels = append(f.Panels, iterationsOf(job, cells, name))
	}
	note := "Mean over workers; bars reach from the fastest to the slowest worker."
	if slices.ContainsFunc(f.Panels, delayed) {
		note += " Dots: the longest delay that was injected into any worker in that iteration."
	}
	f.Notes = append([]string{note}, belief(verdicts)...)
	return f, len(f.Panels) > 0
}

// delayed reports whether a panel shows injected delays.
func delayed(p figure.Panel) bool {
	return slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Name == injected })
}

// iterationsOf draws the panel of a job.
func iterationsOf(job string, cells []result.Cell, name func(*result.Cell) string) figure.Panel {
	p := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "time", Unit: "ms", Zero: true}}
	if job != "" {
		p.Title = "job " + job
	}
	delays := figure.Series{Name: injected, Kind: figure.Points, Aside: true}
	for i := range cells {
		c := &cells[i]
		if c.Job != job || c.Fidelity.Verdict == result.Invalid || len(p.Series) == maxLines-1 {
			continue
		}
		list := compare.Iterations(*c)
		p.Series = append(p.Series, figure.SeriesOf(name(c), list, func(i *compare.Iteration) figure.Point {
			return figure.Point{X: float64(i.Index), Y: i.Mean, Below: i.Mean - i.Least, Above: i.Most - i.Mean}
		}))
		for _, i := range list {
			same := func(q figure.Point) bool { return q.X == float64(i.Index) && q.Y == i.Delay }
			if i.Delay > 0 && !slices.ContainsFunc(delays.Points, same) {
				delays.Points = append(delays.Points, figure.Point{X: float64(i.Index), Y: i.Delay})
			}
		}
	}
	p.X.Ticks = whole(p.Series)
	if len(delays.Points) > 0 {
		p.Series = append(p.Series, delays)
	}
	return p
}

// whole returns round numbers of iterations for an axis.
func whole(list []figure.Series) (ticks []float64) {
	last := 0.0
	for _, s := range list {
		for _, p := range s.Points {
			last = max(last, p.X)
		}
	}
	step := 1.0
	for i := 0; last/step > 12; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	for v := 0.0; v <= last; v += step {
		ticks = append(ticks, v)
	}
	return ticks
}
