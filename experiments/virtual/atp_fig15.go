package virtual

import (
	"context"
	"fmt"
	"math"
	"strings"

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
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
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
	ran       string // what aggregated
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
	kinds := fig15Kinds(e, n.job)
	var labs []tenantLab
	for i := range kinds {
		labs = append(labs, kinds[i].lab(e))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return f, err
	}
	var runs []incast
	for i := range kinds {
		runs = append(runs, newIncast(kinds[i].name, &cells[i][0]))
		runs[i].ran = labs[i].ran
	}
	size := labs[0].jobs[0].profile(e).Size()
	f.Tables = append(f.Tables, fig15Table(e, runs, size, n.job))
	f.Figures = append(f.Figures, fig15Figure(e, runs))
	fig15Claims(&f, kinds, runs, size)
	return f, nil
}

// fig15Kind is a run of Fig 15.
type fig15Kind struct {
	name         string
	sys          atp.System
	marks, queue int
	off          bool // without congestion control
}

func (k *fig15Kind) lab(e *experiment.Env) tenantLab {
	l := fig15Lab(e, k.sys, k.marks, fig15Iterations)
	l.queue = k.queue
	return l
}

// fig15Kinds are the runs: with congestion control, without it, then each at the ends of what the paper
// says nothing of, one thing at a time, with the window that loses.
func fig15Kinds(e *experiment.Env, need int) (out []fig15Kind) {
	on := fig15Kind{name: "on", sys: fig15System(e, need/2), marks: threshold(e), queue: int(e.Constants.Get("atp.queue"))}
	on.sys.Span = need
	add := func(from fig15Kind, name string, change func(*fig15Kind)) {
		k := from
		if change(&k); k != from {
			k.name = name
			out = append(out, k)
		}
	}
	out = append(out, on)
	start, share := on, on
	start.off, start.sys.Fixed, start.sys.Window = true, true, host.DefaultWindow
	share.off, share.sys.Fixed, share.sys.Window = true, true, need
	start.name, share.name = fmt.Sprintf("off, window of %d", host.DefaultWindow), fmt.Sprintf("off, window of %d", need)
	if e.Reading("atp.no-cc-window") == "share" {
		out = append(out, share, start)
	} else {
		out = append(out, start, share)
	}
	add(on, "on, marks above 20", func(k *fig15Kind) { k.marks = 20 })
	add(on, "on, marks above 200", func(k *fig15Kind) { k.marks = 200 })
	add(share, share.name+", resend: passed", func(k *fig15Kind) { k.sys.Resend = host.Passed })
	add(share, share.name+", resend: gaps", func(k *fig15Kind) { k.sys.Resend = host.Gaps })
	add(share, share.name+", timeout-resend: expected", func(k *fig15Kind) { k.sys.ExpectedOnly = true })
	add(share, share.name+", ring of 512", func(k *fig15Kind) { k.sys.Ring = 512 })
	add(share, share.name+", ring of 8192", func(k *fig15Kind) { k.sys.Ring = 8192 })
	add(share, share.name+", queue of 1000", func(k *fig15Kind) { k.queue = 1000 })
	return out
}

// fig15Claims holds the first run against the second, and says what the others are.
func fig15Claims(f *experiment.Findings, kinds []fig15Kind, runs []incast, size units.Bytes) {
	on, off := &runs[0], &runs[1]
	model := fmt.Sprintf("a server that copies 60 Gbit/s and holds a ring of packets; %s", off.name)
	var ratios, swings, goodputs []string
	for i := range runs[2:] {
		r, k := &runs[2+i], &kinds[2+i]
		if !k.off {
			goodputs = append(goodputs, fmt.Sprintf("%s: %.3g", r.name, r.mean(size)))
			ratios = append(ratios, fmt.Sprintf("%s: %.3g times", r.name, off.iteration.Seconds()/r.iteration.Seconds()))
			continue
		}
		ratios = append(ratios, fmt.Sprintf("%s: %.3g times", r.name, r.iteration.Seconds()/on.iteration.Seconds()))
		swings = append(swings, fmt.Sprintf("%s: variation %.2g times, mean %.2g", r.name, r.variation()/on.variation(), r.mean(size)/on.mean(size)))
	}
	ratio, note := off.iteration.Seconds()/on.iteration.Seconds(), strings.Join(ratios, "; ")
	f.Set("atp.fig15.goodput-7.5", claims.Number(on.mean(size)).On(model).Noting("%s", strings.Join(goodputs, "; ")))
	f.Set("atp.fig15.no-cc-fluctuates", claims.NumberParts(map[string]float64{"variation_x": off.variation() / on.variation(), "mean_x": off.mean(size) / on.mean(size)}).On(model).
		Noting("%s", strings.Join(swings, "; ")))
	f.Set("atp.fig15.img-rate", claims.NumberParts(map[string]float64{"with_over_without_x": ratio}).On(model).Noting("%s", note))
	f.Set("atp.s1.cc-3x", claims.Number(ratio).On(model).Noting("%s", note))
}

func fig15Table(e *experiment.Env, runs []incast, size units.Bytes, need int) claims.Table {
	t := claims.Table{
		ID: "atp.fig15", Title: "Eight workers on half of the aggregators that they need",
		Columns: []claims.Column{
			{Name: "congestion control"}, {Name: "switch"}, {Name: "iteration", Unit: "ms"}, {Name: "goodput of a worker", Unit: "Gbit/s"}, {Name: "variation"},
			{Name: "added by the server", Unit: "%"}, {Name: "dropped by its ring"}, {Name: "sent again"}, {Name: "timeouts"},
		},
		Notes: []string{fmt.Sprintf("%d aggregators of %d that are needed for %g%% of the best throughput. Goodput is averaged over 1/%d s, and so is its variation.", need/2, need, 100*peak, fig15Cut(e))},
	}
	for i := range runs {
		r := &runs[i]
		t.Add(render.Text(r.name), render.Text(r.ran), render.Number(r.iteration.Milliseconds(), 3), render.Number(r.mean(size), 2), render.Number(r.variation(), 2),
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
