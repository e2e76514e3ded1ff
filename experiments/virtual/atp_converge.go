package virtual

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig13b is ATP Fig 13b and §3.6: servers move what collides.
func atpFig13b() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig13b", Title: "what servers add while three jobs move fragments that collide, on a full table and one with room",
		Claims: []claims.ID{"atp.fig13b.converge-500ms", "atp.s3.6.dynamic-hash"},
		Quick:  "8 tensors in place of 32",
		Run:    runATPFig13b,
	}
}

// settled is the share of the initial rate below which servers count as having nothing to add
// (the claim's tolerance).
const settled = 0.01

// span13b is the packets that a job may have in flight: the paper's share (§5.4.1).
const span13b = 660

// load13b is the load of the table that has room (the claim's tolerance).
const load13b = 0.6

// slot is what was counted between two times.
type slot struct {
	from, to   units.Duration
	single     float64 // contributions that servers added, a millisecond
	collisions float64 // packets that met another's aggregator, a millisecond
	moved      uint64  // indexes of the jobs that went elsewhere
}

// settling runs ever more tensors, and returns what each run has beyond the one before it: they are
// equal up to there.
func settling(ctx context.Context, e *experiment.Env, systems ...atp.System) ([][]slot, error) {
	counts := []int{1, 2, 4, 8}
	if !e.Quick {
		counts = append(counts, 16, 32)
	}
	var labs []tenantLab
	for _, sys := range systems {
		for _, n := range counts {
			l := fig13Lab(e, sys, nil)
			for i := range l.jobs {
				l.jobs[i].model, l.jobs[i].mib, l.jobs[i].iterations = "", 4, n
			}
			labs = append(labs, l)
		}
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return nil, err
	}
	out := make([][]slot, len(systems))
	for i := range systems {
		var at units.Duration
		var single, collided, moved uint64
		for k := range counts {
			c := &cells[i*len(counts)+k][0]
			end, s, n := lastEnd(cells[i*len(counts)+k]), uint64(0), endingIn(c, "atp-collisions")
			m := uint64(0)
			for j := range cells[i*len(counts)+k] {
				s += summed(&cells[i*len(counts)+k][j], atpps.CountSingle)
				m += summed(&cells[i*len(counts)+k][j], host.CountRemapped) / 2
			}
			ms := (end - at).Milliseconds()
			out[i] = append(out[i], slot{from: at, to: end, single: float64(s-single) / ms, collisions: float64(n-collided) / ms, moved: m - moved})
			at, single, collided, moved = end, s, n, m
		}
	}
	return out, nil
}

// lastEnd is when the last job is done.
func lastEnd(cells []result.Cell) (last units.Duration) {
	for i := range cells {
		for _, s := range cells[i].Samples {
			last = max(last, s.End.Sub(0))
		}
	}
	return last
}

// endingIn adds up a counter of switches, without those of single jobs.
func endingIn(c *result.Cell, name string) (n uint64) {
	for _, k := range c.Counters {
		if strings.HasSuffix(k.Name, name) && !strings.Contains(k.Name, "atp/") {
			n += k.N
		}
	}
	return n
}

// settledAt is when the rate of what servers add is below that share of the first: the end of the first
// such slot. It is false if there is none.
func settledAt(list []slot) (units.Duration, bool) {
	i := slices.IndexFunc(list, func(s slot) bool { return s.single < settled*list[0].single })
	if i < 0 {
		return list[len(list)-1].to, false
	}
	return list[i].to, true
}

func runATPFig13b(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	full := atpTenant(e, fig13Jobs*span13b, span13b)
	loaded := float64(fig13Jobs*span13b) / load13b
	roomy := atpTenant(e, int(loaded), span13b)
	fixed := roomy
	fixed.Rehash = atpps.Never
	lists, err := settling(ctx, e, full, roomy, fixed)
	if err != nil {
		return f, err
	}
	const model = "three jobs that only communicate, with 660 packets in flight each at most"
	at, ok := settledAt(lists[0])
	m := claims.Number(at.Milliseconds()).On(model)
	if !ok {
		last := lists[0][len(lists[0])-1]
		m = claims.Text("not reached").On(model).Noting("after %.3g ms servers add %.2g%% of what they added at first", last.to.Milliseconds(), 100*last.single/lists[0][0].single)
	}
	f.Set("atp.fig13b.converge-500ms", m)
	left := func(list []slot) float64 { return 100 * list[len(list)-1].collisions / list[0].collisions }
	f.Set("atp.s3.6.dynamic-hash", claims.Number(left(lists[1])).On(model).Noting("of the initial collisions, at a load of %g; %.2g%% where nothing moves", load13b, left(lists[2])))
	f.Tables = append(f.Tables, settlingTable(lists))
	f.Figures = append(f.Figures, settlingFigure(lists))
	return f, nil
}

// settlingNames are the runs of Fig 13b.
var settlingNames = []string{"full table", fmt.Sprintf("load of %g", load13b), fmt.Sprintf("load of %g, nothing moves", load13b)}

func settlingTable(lists [][]slot) claims.Table {
	t := claims.Table{
		ID: "atp.fig13b", Title: "What servers add, and what collides, over time",
		Columns: []claims.Column{{Name: "run"}, {Name: "from", Unit: "ms"}, {Name: "to", Unit: "ms"}, {Name: "added by servers", Unit: "1/ms"}, {Name: "collisions", Unit: "1/ms"}, {Name: "indexes moved"}},
	}
	for i, list := range lists {
		for _, s := range list {
			t.Add(render.Text(settlingNames[i]), render.Number(s.from.Milliseconds(), 2), render.Number(s.to.Milliseconds(), 2), render.Number(s.single, 2), render.Number(s.collisions, 2), render.Int(s.moved))
		}
	}
	return t
}

func settlingFigure(lists [][]slot) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "added by servers", Unit: "1/ms"}}
	for i := range lists {
		p.Series = append(p.Series, figure.SeriesOf(settlingNames[i], lists[i], func(s *slot) figure.Point {
			return figure.Point{X: s.to.Milliseconds(), Y: s.single}
		}))
	}
	return figure.Figure{ID: "atp.fig13b", Title: "Fragments that collide move", Panels: []figure.Panel{p}}
}
