package runfigure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// Series returns the figure of throughput by time: a panel for each run, and in it a line for
// each job and flow. ok is false where no run has a series to be believed.
func Series(id, title string, cells []result.Cell) (f figure.Figure, ok bool) {
	return throughputs.draw(id, title, cells)
}

// draw returns the figure of a quantity.
func (q *quantity) draw(id, title string, cells []result.Cell) (f figure.Figure, ok bool) {
	d := timeline{quantity: q}
	d.takeRuns(cells)
	d.arrange()
	if len(d.runs) == 0 {
		return f, false
	}
	drawn := d.runs[:min(len(d.runs), maxPanels)]
	f = figure.Figure{ID: id, Title: title, Columns: columnsOf(len(drawn)), Notes: d.notes()}
	for _, run := range drawn {
		f.Panels = append(f.Panels, d.panel(run))
	}
	return f, true
}

// columnsOf returns how many panels stand in a row: time wants width.
func columnsOf(panels int) int {
	if panels <= 3 {
		return 1
	}
	return 2
}

// quantity is what series are of.
type quantity struct {
	of     func(*result.Cell) []result.Throughput
	value  func(*result.Series, int) float64 // in an interval, in the base unit
	label  string
	scales []scale
	note   string // what is drawn; %s: the intervals
}

// throughputs are payload by time.
var throughputs = quantity{
	of:    func(c *result.Cell) []result.Throughput { return c.Throughput },
	value: func(s *result.Series, at int) float64 { return s.Rate(at) }, label: "throughput", scales: rates,
	note: "Payload that workers, and receivers of flows, were given in each interval of %s, over its length. Nothing is smoothed.",
}

// timeline is series on their way to a figure.
type timeline struct {
	*quantity
	runs     [][]*result.Cell // to be believed; jobs that shared a lab are one
	verdicts []string         // of all runs
	lines    []string         // jobs, then flows

	time scale // of all panels
	rate scale
}

// takeRuns finds the runs that have series. One is believed as far as each of its jobs.
func (d *timeline) takeRuns(cells []result.Cell) {
	var all [][]*result.Cell
	for i := range cells {
		c := &cells[i]
		switch n := len(all); {
		case len(d.of(c)) == 0:
		case n > 0 && all[n-1][0].SharesLab(c):
			all[n-1] = append(all[n-1], c)
		default:
			all = append(all, []*result.Cell{c})
		}
	}
	for _, run := range all {
		v := verdictOf(run)
		if d.verdicts = append(d.verdicts, v); v != result.Invalid {
			d.runs = append(d.runs, run)
		}
	}
}

// verdictOf returns the worst of the verdicts of a run's jobs.
func verdictOf(run []*result.Cell) string {
	for _, v := range []string{result.Invalid, result.Caution, result.Busy} {
		if slices.ContainsFunc(run, func(c *result.Cell) bool { return c.Fidelity.Verdict == v }) {
			return v
		}
	}
	return run[0].Fidelity.Verdict
}

// arrange finds out the lines and the units.
func (d *timeline) arrange() {
	var latest, fastest float64
	for _, run := range d.runs {
		for _, t := range d.seriesOf(run) {
			latest = max(latest, t.Start(len(t.Bytes)).Seconds())
			for at := range t.Bytes {
				fastest = max(fastest, d.value(&t.Series, at))
			}
		}
	}
	d.time, d.rate = scaleFor(times, latest), scaleFor(d.scales, fastest)
	for _, job := range []bool{true, false} {
		for _, run := range d.runs {
			for _, t := range d.seriesOf(run) {
				if (t.Kind == result.KindJob) == job {
					add(&d.lines, t.line())
				}
			}
		}
	}
}

// drawnSeries is a series, and the record that has it.
type drawnSeries struct {
	*result.Throughput
	of *result.Cell
}

// seriesOf returns the series of a run.
func (d *timeline) seriesOf(run []*result.Cell) (out []drawnSeries) {
	for _, c := range run {
		list := d.of(c)
		for i := range list {
			out = append(out, drawnSeries{&list[i], c})
		}
	}
	return out
}

// line names the line of a job, with its system where the lab has several, or of a flow.
func (t *drawnSeries) line() string {
	switch {
	case t.Kind == result.KindSwitch:
		return strings.TrimSpace("job "+t.Name) + ", in switches"
	case t.Kind == result.KindServer:
		return strings.TrimSpace("job "+t.Name) + ", at servers"
	case t.Kind != result.KindJob:
		return "flow " + t.Name + " (" + strings.ToUpper(t.Kind) + ")"
	case t.of.Lab != "":
		return "job " + t.Name + " (" + t.of.System + ")"
	}
	return strings.TrimSpace("job " + t.Name)
}

// scale is a unit, and how much of the base unit it is.
type scale struct {
	unit string
	size float64
}

var (
	times = []scale{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}
	rates = []scale{{"Tbit/s", 1e12}, {"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}, {"bit/s", 1}}
)

// scaleFor returns the largest scale in which the largest value is one or more, or the last.
func scaleFor(list []scale, largest float64) scale {
	for _, s := range list {
		if largest >= s.size {
			return s
		}
	}
	return list[len(list)-1]
}

// panel draws a run.
func (d *timeline) panel(run []*result.Cell) figure.Panel {
	p := figure.Panel{
		Title: d.titleOf(run[0]),
		X:     figure.Axis{Label: "time", Unit: d.time.unit, Zero: true},
		Y:     figure.Axis{Label: d.label, Unit: d.rate.unit, Zero: true},
	}
	for _, line := range d.lines[:min(len(d.lines), maxLines)] {
		for _, t := range d.seriesOf(run) {
			if t.line() == line {
				p.Series = append(p.Series, d.steps(line, &t.Series))
			}
		}
	}
	return p
}

// steps draws a series: a point for each interval in which the rate is another than before, and
// one for the end.
func (d *timeline) steps(name string, s *result.Series) figure.Series {
	out := figure.Series{Name: name, Kind: figure.Steps}
	point := func(i int, rate float64) {
		out.Points = append(out.Points, figure.Point{X: s.Start(i).Seconds() / d.time.size, Y: rate / d.rate.size})
	}
	for i := range s.Bytes {
		if i == 0 || s.Bytes[i] != s.Bytes[i-1] {
			point(i, d.value(s, i))
		}
	}
	if n := len(s.Bytes); n > 0 {
		point(n, d.value(s, n-1))
	}
	return out
}

// titleOf names a run by what tells it from the others.
func (d *timeline) titleOf(c *result.Cell) string {
	title := c.Ran()
	if d.differ(func(o *result.Cell) bool { return o.Ran() == title && o.Topology != c.Topology }) {
		title += " on " + c.Topology
	}
	words := []string{title}
	if !c.Point.IsZero() {
		words = append(words, c.Point.String())
	}
	if d.differ(func(o *result.Cell) bool { return o.StraggleP != c.StraggleP }) {
		words = append(words, "p = "+percent(c.StraggleP))
	}
	if d.differ(func(o *result.Cell) bool { return o.Seed != c.Seed }) {
		words = append(words, fmt.Sprintf("seed %d", c.Seed))
	}
	return strings.Join(words, ", ")
}

// differ reports whether some cell is another in a way.
func (d *timeline) differ(other func(*result.Cell) bool) bool {
	for _, run := range d.runs {
		if slices.ContainsFunc(run, other) {
			return true
		}
	}
	return false
}

// notes say what is drawn, what is not, and how far it can be believed.
func (d *timeline) notes() []string {
	notes := []string{fmt.Sprintf(d.note, d.intervals())}
	if n := len(d.runs); n > maxPanels {
		notes = append(notes, fmt.Sprintf("%d of %d runs are left out: a figure holds %d. All are in series.csv.", n-maxPanels, n, maxPanels))
	}
	if n := len(d.lines); n > maxLines {
		notes = append(notes, fmt.Sprintf("%d of %d jobs and flows are left out: a figure holds %d lines. All are in series.csv.", n-maxLines, n, maxLines))
	}
	return append(notes, belief(d.verdicts)...)
}

// intervals names those of all runs.
func (d *timeline) intervals() string {
	var all []units.Duration
	for _, run := range d.runs {
		all = append(all, d.seriesOf(run)[0].Interval)
	}
	if least, most := slices.Min(all), slices.Max(all); least != most {
		return fmt.Sprintf("%v to %v", least, most)
	}
	return all[0].String()
}
