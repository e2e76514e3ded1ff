package runfigure

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
)

// injected names the points of injected delays.
const injected = "longest injected delay"

// Iterations returns the figure of iteration times, iteration by iteration: a panel for each job, and in it
// a line for each run, with bars from the fastest to the slowest worker where they differ, and the delays
// that were injected. name tells a run from the others of its job. ok is false where no run is to be believed.
func Iterations(id, title string, cells []result.Cell, name func(*result.Cell) string) (f figure.Figure, ok bool) {
	d := oneByOne{name: name}
	for i := range cells {
		d.take(&cells[i])
	}
	f = figure.Figure{ID: id, Title: title, Columns: 1, Panels: d.panels}
	note := "Mean over workers; bars reach from the fastest to the slowest worker."
	for i := range f.Panels {
		if d.delayed(&f.Panels[i], i) {
			note = "Mean over workers; bars reach from the fastest to the slowest worker. Dots: the longest delay that was injected into any worker in that iteration."
		}
		f.Panels[i].X.Ticks = whole(f.Panels[i].Series)
	}
	f.Notes = []string{note}
	if d.left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d of %d runs are left out: a figure holds %d panels and %d lines. All are in samples.jsonl.", d.left, len(d.verdicts), maxPanels, maxLines-1))
	}
	f.Notes = append(f.Notes, belief(d.verdicts)...)
	return f, len(f.Panels) > 0
}

// oneByOne is runs on their way to a figure of iterations.
type oneByOne struct {
	name     func(*result.Cell) string
	jobs     []string // of the panels
	panels   []figure.Panel
	delays   [][]figure.Point // by panel
	lines    []string         // of all panels
	verdicts []string
	left     int // runs that are to be believed, and not drawn
}

// take draws a run, if there is room.
func (d *oneByOne) take(c *result.Cell) {
	d.verdicts = append(d.verdicts, c.Fidelity.Verdict)
	if c.Fidelity.Verdict == result.Invalid || len(c.Samples) == 0 {
		return
	}
	line := d.name(c)
	at := slices.Index(d.jobs, c.Job)
	drawn := at >= 0 && slices.ContainsFunc(d.panels[at].Series, func(s figure.Series) bool { return s.Name == line })
	known := slices.Contains(d.lines, line)
	if drawn || at < 0 && len(d.jobs) == maxPanels || !known && len(d.lines) == maxLines-1 { // one name is for the delays
		d.left++
		return
	}
	add(&d.lines, line)
	if at < 0 {
		at = len(d.jobs)
		d.open(c.Job)
	}
	list := compare.Iterations(*c)
	d.panels[at].Series = append(d.panels[at].Series, figure.SeriesOf(line, list, func(i *compare.Iteration) figure.Point {
		return figure.Point{X: float64(i.Index), Y: i.Mean, Below: i.Mean - i.Least, Above: i.Most - i.Mean}
	}))
	for _, i := range list {
		if p := (figure.Point{X: float64(i.Index), Y: i.Delay}); i.Delay > 0 && !slices.Contains(d.delays[at], p) {
			d.delays[at] = append(d.delays[at], p)
		}
	}
}

// open begins the panel of a job.
func (d *oneByOne) open(job string) {
	p := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "time", Unit: "ms", Zero: true}}
	if job != "" {
		p.Title = "job " + job
	}
	d.jobs, d.panels, d.delays = append(d.jobs, job), append(d.panels, p), append(d.delays, nil)
}

// delayed draws the delays of a panel, if there were any.
func (d *oneByOne) delayed(p *figure.Panel, at int) bool {
	if len(d.delays[at]) == 0 {
		return false
	}
	p.Series = append(p.Series, figure.Series{Name: injected, Kind: figure.Points, Aside: true, Points: d.delays[at]})
	return true
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
