package runreport

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/spent"
)

// timeSpent says where the time went at the easiest and at the hardest point, for each run.
func (r *run) timeSpent() (out []page.Block) {
	for _, p := range r.extremes() {
		b := page.Bars{
			Title: "Mean iteration at " + p.name, Unit: "ms",
			Parts: []string{"compute", "injected delay of its own", "communication and waiting"},
		}
		cells := r.cells()
		for i := range cells {
			c := &cells[i]
			s, ok := spent.Of(c)
			if !ok || c.Fidelity.Verdict == result.Invalid || !p.has(c.Point.Index, c.StraggleP) || c.Seed != cells[0].Seed {
				continue
			}
			b.Bars = append(b.Bars, page.Bar{Name: r.barName(c), Values: []float64{s.Compute.Milliseconds(), s.Delay.Milliseconds(), (s.Iteration - s.Compute - s.Delay).Milliseconds()}})
		}
		const most = 6 // bars of the easier point that are shown at once (assumed)
		switch {
		case len(b.Bars) == 0:
		case len(b.Bars) > most && p != r.place:
			out = append(out, page.Details{Summary: "At " + p.name, Blocks: []page.Block{b}})
		default:
			out = append(out, page.Paragraph{Text: "At " + p.name + ":"}, b)
		}
	}
	if out == nil {
		return nil
	}
	return append([]page.Block{page.Paragraph{Small: true, Text: "A mean iteration of a worker, over all workers and iterations that were recorded. Compute is what the runs measured of the model's, without delays. " +
		"Injected delay is what a worker slept itself. The rest is what is left: packets on their way, and waiting for others, of which the delays of other workers are a part."}}, out...)
}

// barName names a run among others of its point.
func (r *run) barName(c *result.Cell) string {
	name := r.nameOf(c)
	if c.Job != "" {
		name += ", job " + c.Job
	}
	return name
}

// extremes are the hardest point and the first one.
func (r *run) extremes() []place {
	all := places(r.ran())
	if len(r.contest) == 0 {
		return nil
	}
	if first := all[0]; !first.has(r.place.index, r.place.p) {
		return []place{r.place, first}
	}
	return []place{r.place}
}
