package virtual

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig15 is ATP Fig 15: incast at a server for lack of aggregators.
func atpFig15() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig15", Title: "eight workers on half of the aggregators that they need, with and without congestion control",
		Claims: []claims.ID{"atp.fig15.goodput-7.5", "atp.fig15.no-cc-fluctuates", "atp.fig15.img-rate", "atp.s1.cc-3x"},
		Quick:  "a 264th of the model and of its compute time in place of a 66th",
		Run:    runATPFig15,
	}
}

// Settings of ATP Fig 15.
const (
	fig15Workers    = 8
	fig15Iterations = 10
)

// fig15Cut divides the model, its compute time and the second that goodput is averaged over.
func fig15Cut(e *experiment.Env) int { return experiment.Cut(e, 66, 264) }

// fig15System is ATP with a server that copies as fast as the paper's.
func fig15System(e *experiment.Env, aggregators int) atp.System {
	s := testbed.ATP(e)
	s.Aggregators, s.Unscaled, s.Ring = aggregators, true, int(e.Constants.Get("atp.ring"))
	return s
}

// fig15Lab is the workers and the server.
func fig15Lab(e *experiment.Env, sys atp.System, marks, iterations int) tenantLab {
	l := tenantLab{hosts: fig15Workers + 1, marks: marks, queue: int(e.Constants.Get("atp.queue"))}
	j := tenantJob{sys: sys, server: []int{fig15Workers}, model: "vgg16", cut: fig15Cut(e), iterations: iterations}
	for w := range fig15Workers {
		j.on = append(j.on, w)
	}
	l.jobs = append(l.jobs, j)
	l.first = func(s *job.Spec) { s.Interval = units.Second / units.Duration(fig15Cut(e)) }
	return l
}

// incast is a run of Fig 15.
type incast struct {
	name      string
	iteration units.Duration
	goodput   []float64 // of a worker, in Gbit/s by second; the last, which is not whole, left out
	atServer  float64   // share of contributions that the server added
	dropped   uint64    // packets by the server's ring
	resent    uint64
	timeouts  uint64
}

// mean is the values of an iteration over its time, in Gbit/s.
func (r *incast) mean(size units.Bytes) float64 {
	return 8 * float64(size) / r.iteration.Seconds() / 1e9
}

// variation is the coefficient of variation of the goodput.
func (r *incast) variation() float64 {
	var sum, squares float64
	for _, g := range r.goodput {
		sum += g
	}
	mean := sum / float64(len(r.goodput))
	for _, g := range r.goodput {
		squares += (g - mean) * (g - mean)
	}
	return math.Sqrt(squares/float64(len(r.goodput))) / mean
}

func newIncast(name string, c *result.Cell) incast {
	r := incast{
		name: name, iteration: testbed.MeanIteration(c), atServer: addedByServers(c),
		dropped: summed(c, atpps.DropRing), resent: summed(c, sansio.CountResentPackets), timeouts: summed(c, "atp-timeouts"),
	}
	s := &c.Throughput[0]
	for i := range len(s.Bytes) - 1 {
		r.goodput = append(r.goodput, s.Rate(i)/fig15Workers/1e9)
	}
	return r
}

func runATPFig15(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	n, err := findNeed(ctx, e, func(part int) tenantLab {
		sys := fig15System(e, part)
		sys.Indexing, sys.Parts = staticTenant(e, part, 1).Indexing, 1
		return fig15Lab(e, sys, threshold(e), 2)
	})
	if err != nil {
		return f, err
	}
	sys := fig15System(e, n.job/2)
	sys.Span = n.job
	without := sys
	without.Fixed = true
	wide := without
	wide.Window = n.job
	kinds := []struct {
		name  string
		sys   atp.System
		marks int
	}{
		{"on", sys, threshold(e)}, {fmt.Sprintf("off, window of %d", host.DefaultWindow), without, threshold(e)}, {fmt.Sprintf("off, window of %d", n.job), wide, threshold(e)},
		{"on, marks above 20", sys, 20}, {"on, marks above 200", sys, 200},
	}
	var labs []tenantLab
	for _, k := range kinds {
		labs = append(labs, fig15Lab(e, k.sys, k.marks, fig15Iterations))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return f, err
	}
	var runs []incast
	for i := range kinds {
		runs = append(runs, newIncast(kinds[i].name, &cells[i][0]))
	}
	f.Tables = append(f.Tables, fig15Table(e, runs, labs[0].jobs[0].profile(e).Size(), n.job))
	f.Figures = append(f.Figures, fig15Figure(e, runs))
	fig15Claims(&f, e, runs, labs[0].jobs[0].profile(e).Size())
	return f, nil
}

// fig15Claims holds the first run against the second or, if the window without control is that
// of all aggregators that the job needs, against the third.
func fig15Claims(f *experiment.Findings, e *experiment.Env, runs []incast, size units.Bytes) {
	on, off, other := &runs[0], &runs[1], &runs[2]
	if e.Reading("atp.no-cc-window") == "share" {
		off, other = other, off
	}
	model := fmt.Sprintf("a server that copies 60 Gbit/s and holds a ring of packets; %s", off.name)
	ratio := func(r *incast) float64 { return r.iteration.Seconds() / on.iteration.Seconds() }
	note := fmt.Sprintf("%s: %.3g times", other.name, ratio(other))
	f.Set("atp.fig15.goodput-7.5", claims.Number(on.mean(size)).On(model))
	f.Set("atp.fig15.no-cc-fluctuates", claims.NumberParts(map[string]float64{"variation_x": off.variation() / on.variation(), "mean_x": off.mean(size) / on.mean(size)}).On(model).
		Noting("%s: variation %.2g times, mean %.2g", other.name, other.variation()/on.variation(), other.mean(size)/on.mean(size)))
	f.Set("atp.fig15.img-rate", claims.NumberParts(map[string]float64{"with_over_without_x": ratio(off)}).On(model).Noting("%s", note))
	f.Set("atp.s1.cc-3x", claims.Number(ratio(off)).On(model).Noting("%s", note))
}

func fig15Table(e *experiment.Env, runs []incast, size units.Bytes, need int) claims.Table {
	t := claims.Table{
		ID: "atp.fig15", Title: "Eight workers on half of the aggregators that they need",
		Columns: []claims.Column{
			{Name: "congestion control"}, {Name: "iteration", Unit: "ms"}, {Name: "goodput of a worker", Unit: "Gbit/s"}, {Name: "variation"},
			{Name: "added by the server", Unit: "%"}, {Name: "dropped by its ring"}, {Name: "sent again"}, {Name: "timeouts"},
		},
		Notes: []string{fmt.Sprintf("%d aggregators of %d that are needed for %g%% of the best throughput. Goodput is averaged over 1/%d s, and so is its variation.", need/2, need, 100*peak, fig15Cut(e))},
	}
	for i := range runs {
		r := &runs[i]
		t.Add(render.Text(r.name), render.Number(r.iteration.Milliseconds(), 3), render.Number(r.mean(size), 2), render.Number(r.variation(), 2),
			render.Number(100*r.atServer, 1), render.Int(r.dropped), render.Int(r.resent), render.Int(r.timeouts))
	}
	return t
}

func fig15Figure(e *experiment.Env, runs []incast) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "s"}, Y: figure.Axis{Label: "goodput of a worker", Unit: "Gbit/s"}}
	for i := range runs[:3] {
		s := figure.Series{Name: runs[i].name}
		for k, g := range runs[i].goodput {
			s.Points = append(s.Points, figure.Point{X: float64(k), Y: g})
		}
		p.Series = append(p.Series, s)
	}
	return figure.Figure{ID: "atp.fig15", Title: "Incast at a server", Panels: []figure.Panel{p}, Notes: []string{fmt.Sprintf("A second stands for 1/%d of one, as model and compute time do.", fig15Cut(e))}}
}
