package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/stat"
)

// What a figure holds (package figure).
const (
	mostPanels = 12
	mostLines  = 16
	mostTicks  = 4
)

// trend is the entries of one panel: of one scenario, clock, scale, machine and point of the sweep.
type trend struct {
	title string
	runs  []*Run
	lines []string
	of    map[string][]Entry // by line; looked up
}

// Figure draws iteration times against the median of their series: a panel for each scenario, clock, scale, machine
// and point, and a line for each system. ok is false where there is nothing to draw.
func Figure(list []Entry) (f figure.Figure, ok bool) {
	medians := mediansOf(list)
	trends, lines, more := trendsOf(list)
	f = figure.Figure{
		ID: "history", Title: "Iteration time, run by run", Columns: min(len(trends), 3),
		Notes: []string{"Each run against the median of all runs of its row and seed; the mean over seeds. What is not to be believed is left out."},
	}
	if more > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d series more are not drawn: select fewer.", more))
	}
	for _, t := range trends {
		f.Panels = append(f.Panels, t.panel(lines, medians))
	}
	return f, len(trends) > 0
}

// mediansOf returns the median of each series.
func mediansOf(list []Entry) map[int]float64 {
	times := map[int][]float64{}
	for _, e := range list {
		if e.Unfit == "" {
			times[e.Series] = append(times[e.Series], e.IterMS)
		}
	}
	out := map[int]float64{}
	for i, t := range times {
		out[i], _ = stat.Median(t)
	}
	return out
}

// trendsOf sorts entries into panels and lines, and counts the series for which there is no room.
func trendsOf(list []Entry) (trends []*trend, lines []string, more int) {
	left := map[int]bool{}
	for _, e := range list {
		if e.Unfit != "" {
			continue
		}
		title, line := e.place(), e.line()
		i := slices.IndexFunc(trends, func(t *trend) bool { return t.title == title })
		if i < 0 && len(trends) == mostPanels || !slices.Contains(lines, line) && len(lines) == mostLines {
			left[e.Series] = true
			continue
		}
		if i < 0 {
			i, trends = len(trends), append(trends, &trend{title: title, of: map[string][]Entry{}})
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		trends[i].add(line, e)
	}
	return trends, lines, len(left)
}

// place names the panel of an entry.
func (e *Entry) place() string {
	words := []string{e.Scenario, e.Clock, fmt.Sprintf("scale %d", e.Scale), e.at()}
	if e.Machine != "" {
		words = append(words, e.Machine)
	}
	return strings.Join(words, ", ")
}

// line names what an entry is of.
func (e *Entry) line() string {
	name := e.System
	if e.Job != "" {
		name += " job " + e.Job
	}
	if e.Lab != "" {
		name += " of " + e.Lab
	}
	return name + " on " + e.Topology + ", " + e.Model
}

func (t *trend) add(line string, e Entry) {
	if !slices.Contains(t.lines, line) {
		t.lines = append(t.lines, line)
	}
	t.of[line] = append(t.of[line], e)
	if !slices.Contains(t.runs, e.Run) {
		t.runs = append(t.runs, e.Run)
		slices.SortStableFunc(t.runs, func(a, b *Run) int { return a.Started.Compare(b.Started) })
	}
}

// panel draws the lines of one.
func (t *trend) panel(lines []string, medians map[int]float64) figure.Panel {
	p := figure.Panel{
		Title: t.title, X: figure.Axis{Label: "run, by time"}, Y: figure.Axis{Label: "against the median", Unit: "%", Zero: true},
	}
	p.Y.Ticks = t.flat(medians)
	step := max(1, (len(t.runs)+mostTicks-1)/mostTicks)
	for i := 0; i < len(t.runs); i += step {
		p.X.Ticks = append(p.X.Ticks, float64(i))
		p.X.Names = append(p.X.Names, t.runs[i].Started.UTC().Format("01-02 15:04"))
	}
	for _, line := range lines {
		if !slices.Contains(t.lines, line) {
			continue
		}
		s := figure.Series{Name: line}
		for i, r := range t.runs {
			if mean := stat.Mean(t.changes(line, r, medians)); mean.Known() {
				s.Points = append(s.Points, figure.Point{X: float64(i), Y: mean.Value})
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// flat returns the only tick where nothing ever changed, which leaves an axis nothing to divide.
func (t *trend) flat(medians map[int]float64) []float64 {
	for _, list := range t.of {
		for _, e := range list {
			if math.Abs(e.IterMS/medians[e.Series]-1) > 1e-9 {
				return nil
			}
		}
	}
	return []float64{0}
}

// changes are those of a line in one run, a seed each, in percent.
func (t *trend) changes(line string, r *Run, medians map[int]float64) (out []float64) {
	for _, e := range t.of[line] {
		if e.Run == r {
			out = append(out, 100*(e.IterMS/medians[e.Series]-1))
		}
	}
	return out
}
