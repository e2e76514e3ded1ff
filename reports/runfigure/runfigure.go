// Package runfigure draws the summary of a run: iteration times over the values that were
// swept last, a line for each system and job, and a panel for each combination of the others.
//
//	       link.loss = 1%                  hosts = 8
//	ms |        ring  _,-             |
//	   |  ___,--''                    |   ...
//	   +--+----+----+-- link.burst    +--+----+--
//
// Values of a sweep are words, so that they stand at equal distances. Without a sweep, and
// where only one entry is swept, straggle probabilities take the place of what lacks.
//
// [Series] draws throughput by time: a panel for each run, and a line of steps for each job and
// flow.
//
//	       switchml256
//	bit/s |   _        _    job a
//	      |__| |__----| |_  flow bulk
//	      +----+----+---- time
//
// [Iterations] draws iteration times one by one, with the delays that were injected.
package runfigure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
)

// maxPanels and maxLines are what a figure holds.
const (
	maxPanels = 12
	maxLines  = 16
)

// New returns the figure of a run, whose sweep has entries of such keys. ok is false where
// there is nothing to compare, or more panels than a figure holds.
func New(id, title string, rows []compare.Row, axes [][]string) (f figure.Figure, ok bool) {
	d := drawing{rows: rows, axes: axes}
	d.arrange()
	if len(d.values) == 0 || len(d.panels) > maxPanels {
		return f, false
	}
	f = figure.Figure{ID: id, Title: title, Columns: min(len(d.panels), 3), Notes: d.notes()}
	for _, name := range d.panels {
		f.Panels = append(f.Panels, d.panel(name))
	}
	if d.logarithmic() {
		f.Notes = append(f.Notes, "Bars that reach below the least iteration time are cut there.")
	}
	return f, true
}

// drawing is rows on their way to a figure.
type drawing struct {
	rows   []compare.Row
	axes   [][]string
	label  string   // along the axis
	values []string // along the axis, in the order of the rows
	panels []string
	lines  []string // systems, or jobs of them
	byJob  bool     // jobs of one system have lines of their own: these are not too many

	least, most float64 // iteration time that is drawn, in ms
}

// arrange finds out what is along the axis, in panels, and of which lines.
func (d *drawing) arrange() {
	if d.byProbability() {
		d.label = "straggle probability"
	} else {
		d.label = strings.Join(d.axes[len(d.axes)-1], ", ")
	}
	if d.byJob = true; d.collect() > maxLines {
		d.byJob, d.values, d.panels, d.lines = false, nil, nil, nil
		d.collect()
	}
}

// collect finds out what the rows are along the axis, in which panels and of which lines,
// and returns how many lines there are.
func (d *drawing) collect() int {
	for i := range d.rows {
		r := &d.rows[i]
		ms, ok := r.Time()
		if !ok || r.Invalid() {
			continue
		}
		if len(d.lines) == 0 {
			d.least, d.most = ms, ms
		}
		d.least, d.most = min(d.least, ms), max(d.most, ms)
		add(&d.values, d.value(r))
		add(&d.panels, d.panelOf(r))
		add(&d.lines, d.line(r))
	}
	return len(d.lines)
}

func add(list *[]string, word string) {
	if !slices.Contains(*list, word) {
		*list = append(*list, word)
	}
}

// byProbability reports whether straggle probabilities are along the axis.
func (d *drawing) byProbability() bool { return len(d.axes) == 0 }

// value is where a row is along the axis.
func (d *drawing) value(r *compare.Row) string {
	if d.byProbability() {
		return percent(r.StraggleP)
	}
	return values(r.Point, d.axes[len(d.axes)-1], false)
}

// panelOf names the panel that a row is in; it may be empty.
func (d *drawing) panelOf(r *compare.Row) string {
	if d.byProbability() {
		return ""
	}
	var words []string
	for _, keys := range d.axes[:len(d.axes)-1] {
		words = append(words, values(r.Point, keys, true))
	}
	if d.severalProbabilities() {
		words = append(words, "p = "+percent(r.StraggleP))
	}
	return strings.Join(words, ", ")
}

func (d *drawing) severalProbabilities() bool {
	return slices.ContainsFunc(d.rows, func(r compare.Row) bool { return r.StraggleP != d.rows[0].StraggleP })
}

// line names the line of a row: its system, and its job, topology and lab where it ran as
// several jobs, on several topologies and in several labs.
func (d *drawing) line(r *compare.Row) string {
	others := func(differ func(o compare.Row) bool) bool {
		return slices.ContainsFunc(d.rows, func(o compare.Row) bool { return o.System == r.System && differ(o) })
	}
	name := r.System
	if d.byJob && others(func(o compare.Row) bool { return o.Job != r.Job }) {
		name += " job " + r.Job
	}
	if others(func(o compare.Row) bool { return o.Topology != r.Topology }) {
		name += " on " + r.Topology
	}
	if d.byJob && r.Lab != "" && others(func(o compare.Row) bool { return o.Job == r.Job && o.Lab != r.Lab }) {
		name += " of " + r.Lab
	}
	return name
}

// values joins the values of keys, with their names or without.
func values(p result.Point, keys []string, named bool) string {
	var words []string
	for _, k := range keys {
		word := p.Value(k)
		if named {
			word = k + " = " + word
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func percent(p float64) string { return fmt.Sprintf("%g%%", 100*p) }

// logarithmic reports whether the least and the largest time are a decade apart.
func (d *drawing) logarithmic() bool {
	return d.most > 10*d.least
}

// panel draws one panel. Rows of several seeds stand beside one another.
func (d *drawing) panel(name string) figure.Panel {
	p := figure.Panel{Title: name, X: figure.Axis{Label: d.label, Names: d.values}, Y: figure.Axis{Label: "iteration time", Unit: "ms", Zero: true}}
	lowest := 0.0
	if d.logarithmic() {
		p.Y.Scale, p.Y.Zero, lowest = figure.Log10, false, d.least
	}
	for i := range d.values {
		p.X.Ticks = append(p.X.Ticks, float64(i))
	}
	for _, line := range d.lines {
		s := figure.Series{Name: line}
		for i := range d.rows {
			r := &d.rows[i]
			ms, ok := r.Time()
			if !ok || r.Invalid() || d.panelOf(r) != name || d.line(r) != line {
				continue
			}
			point := figure.Point{X: float64(slices.Index(d.values, d.value(r))), Y: ms}
			if r.Iter.Bounded() {
				point.Below, point.Above = min(r.Iter.Half, ms-lowest), r.Iter.Half
			}
			s.Points = append(s.Points, point)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// notes say what is drawn and how far it can be believed.
func (d *drawing) notes() []string {
	notes := []string{"Mean over workers and iterations; bars are 95% intervals. Values along the axis stand at equal distances."}
	var verdicts []string
	for i := range d.rows {
		verdicts = append(verdicts, d.rows[i].Fidelity.Verdict)
	}
	return append(notes, belief(verdicts)...)
}

// belief says how far runs can be believed that are not.
func belief(verdicts []string) (notes []string) {
	count := map[string]int{}
	for _, v := range verdicts {
		count[v]++
	}
	if n := count[result.Busy]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs: the machine was at its limit; small differences mean nothing there.", n, len(verdicts)))
	}
	if n := count[result.Caution]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs: something moved the times that was not asked for; the table says what.", n, len(verdicts)))
	}
	if n := count[result.Invalid]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs are not drawn: the machine was not up to them.", n, len(verdicts)))
	}
	return notes
}
