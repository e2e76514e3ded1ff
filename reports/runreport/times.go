package runreport

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// spent is where the time of an iteration went, in the mean over workers and iterations.
type spent struct {
	iteration, compute, delay units.Duration
}

// spentIn returns it; ok is false where it is not known.
func spentIn(c *result.Cell) (s spent, ok bool) {
	if len(c.Samples) == 0 || c.Compute == 0 {
		return s, false
	}
	for i := range c.Samples {
		s.iteration += c.Samples[i].End.Sub(c.Samples[i].Start)
		s.delay += c.Samples[i].Delay
	}
	n := units.Duration(len(c.Samples))
	s.iteration, s.delay, s.compute = s.iteration/n, s.delay/n, c.Compute
	return s, true
}

// rest is what neither compute nor an injected delay took: the all-reduce, and waiting for others.
func (s *spent) rest() units.Duration { return max(0, s.iteration-s.compute-s.delay) }

// timesTable says where the time went, run by run.
func (r *Run) timesTable() (t render.Table) {
	t = render.Table{
		Columns: []render.Column{
			{Name: "system"}, {Name: "job"}, {Name: "at", Wrap: true}, {Name: "iteration", Unit: "ms", Align: render.Right}, {Name: "compute", Unit: "ms", Align: render.Right},
			{Name: "injected delay", Unit: "ms", Align: render.Right}, {Name: "all-reduce and waiting", Unit: "ms", Align: render.Right}, {Name: "share of it", Unit: "%", Align: render.Right},
		},
		Notes: []string{
			"Means over all workers and iterations. Compute is measured without the injected delay; what is left of the iteration is the all-reduce and the wait for other workers, of which a straggler's delay is a part.",
		},
	}
	cells := r.measured()
	for i := range cells {
		c := &cells[i]
		s, ok := spentIn(c)
		if !ok {
			continue
		}
		suspect := c.Fidelity.Verdict == result.Invalid
		ms := func(d units.Duration) render.Cell { return render.Number(d.Milliseconds(), 1).Suspect(suspect) }
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(c.System), render.Text(c.Job), render.Text(c.At()), ms(s.iteration), ms(s.compute), ms(s.delay), ms(s.rest()),
			render.Number(100*float64(s.rest())/float64(s.iteration), 0).Suspect(suspect),
		})
	}
	return dropEmpty(t)
}

// dropEmpty leaves out columns of text that say nothing in any row.
func dropEmpty(t render.Table) render.Table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []render.Cell) bool { return row[i] != render.Text("") && row[i] != render.NA() }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for j := range t.Rows {
			t.Rows[j] = slices.Delete(t.Rows[j], i, i+1)
		}
	}
	return t
}

// Bounds of the figure of iterations.
const (
	maxPanels = 12
	maxLines  = 12
)

// iterationsFigure is the time of each iteration, in the mean over workers; ok is false where it would show too much.
func (r *Run) iterationsFigure() (f figure.Figure, ok bool) {
	f = figure.Figure{
		ID: r.Record.Scenario + ".iterations", Title: r.Record.Scenario + ": iteration by iteration",
		Notes: []string{"Mean over workers. Runs that are invalid are not drawn."},
	}
	var titles []string
	cells := r.measured()
	for i := range cells {
		c := &cells[i]
		if c.Fidelity.Verdict == result.Invalid || len(c.Samples) == 0 {
			continue
		}
		if at := c.At(); !slices.Contains(titles, at) {
			titles = append(titles, at)
			f.Panels = append(f.Panels, figure.Panel{
				Title: at, X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "time", Unit: "ms", Zero: true},
			})
		}
		p := &f.Panels[slices.Index(titles, c.At())]
		p.Series = append(p.Series, figure.Series{Name: lineOf(c, cells), Points: byIteration(c)})
		if len(p.Series) > maxLines {
			return f, false
		}
	}
	f.Columns = min(len(f.Panels), 2)
	return f, len(f.Panels) > 0 && len(f.Panels) <= maxPanels
}

// lineOf names a cell among others.
func lineOf(c *result.Cell, among []result.Cell) string {
	name := c.System
	if c.Job != "" {
		name += " job " + c.Job
	}
	differs := func(f func(o *result.Cell) bool) bool {
		return slices.ContainsFunc(among, func(o result.Cell) bool { return o.System == c.System && f(&o) })
	}
	if differs(func(o *result.Cell) bool { return o.Topology != c.Topology }) {
		name += " on " + c.Topology
	}
	if differs(func(o *result.Cell) bool { return o.Seed != c.Seed }) {
		name += fmt.Sprintf(", seed %d", c.Seed)
	}
	if c.Lab != "" {
		name += " of " + c.Lab
	}
	return name
}

// byIteration returns the mean time of each iteration in ms.
func byIteration(c *result.Cell) (out []figure.Point) {
	sum, n := map[int]units.Duration{}, map[int]int{}
	last := 0
	for i := range c.Samples {
		s := &c.Samples[i]
		sum[s.Iteration] += s.End.Sub(s.Start)
		n[s.Iteration]++
		last = max(last, s.Iteration)
	}
	for i := range last + 1 {
		if n[i] > 0 {
			out = append(out, figure.Point{X: float64(i), Y: (sum[i] / units.Duration(n[i])).Milliseconds()})
		}
	}
	return out
}
