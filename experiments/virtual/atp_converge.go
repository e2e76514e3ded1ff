package virtual

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig13b is ATP Fig 13b and §3.6: servers move what collides.
func atpFig13b() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig13b", Title: "what servers add while three jobs move fragments that collide, on a full table and one with room",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"atp.fig13b.converge-500ms", "atp.s3.6.dynamic-hash"},
		Quick:  "16 tensors where all collisions may end, in place of 64, and 4 elsewhere, in place of 16",
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

// interval13b is that by which contributions are counted (assumed: the paper's 10 ms are as long as all of it takes).
const interval13b = units.Millisecond

// rehashing is a run of three jobs, and what came of it.
type rehashing struct {
	name   string
	rehash atpps.Rehash
	places bool // move, not indexes
	table  int
	ends   bool // all collisions may end

	single   []float64 // contributions that servers added, by interval
	all      []float64 // contributions
	rehashed uint64    // fragments that were answered with a new index
	ran      string    // what aggregated
}

// rehashings are the runs of Fig 13b: a table that jobs fill, and one with room.
func rehashings() []rehashing {
	loaded := float64(fig13Jobs * span13b)
	roomy := int(loaded / load13b)
	return []rehashing{
		{name: "full, free", rehash: atpps.ToFree, table: fig13Jobs * span13b, ends: true},
		{name: "full, recycle by place", rehash: atpps.Recycle, places: true, table: fig13Jobs * span13b, ends: true},
		{name: "full, index", rehash: atpps.ByIndex, table: fig13Jobs * span13b},
		{name: "full, index by place", rehash: atpps.ByIndex, places: true, table: fig13Jobs * span13b},
		{name: "full, never", rehash: atpps.Never, table: fig13Jobs * span13b},
		{name: "room, free", rehash: atpps.ToFree, table: roomy},
		{name: "room, index", rehash: atpps.ByIndex, table: roomy},
		{name: "room, index by place", rehash: atpps.ByIndex, places: true, table: roomy},
		{name: "room, never", rehash: atpps.Never, table: roomy},
	}
}

// lab is three jobs that only communicate.
func (r *rehashing) lab(e *experiment.Env) tenantLab {
	sys := atpTenant(e, r.table, span13b)
	sys.Rehash, sys.ByPlace = r.rehash, r.places
	l := fig13Lab(e, sys, nil)
	for i := range l.jobs {
		l.jobs[i].model, l.jobs[i].mib, l.jobs[i].iterations = "", 4, experiment.Cut(e, 16, 4)
		if r.ends {
			l.jobs[i].iterations = experiment.Cut(e, 64, 16)
		}
	}
	l.first = func(s *job.Spec) { s.Interval = interval13b }
	return l
}

// take takes what servers counted. The last interval, which is not whole, is left out.
func (r *rehashing) take(cells []result.Cell) {
	for i := range cells {
		c := &cells[i]
		for _, a := range c.Aggregations {
			for k := range max(0, len(a.Bytes)-1) {
				if k == len(r.all) {
					r.all, r.single = append(r.all, 0), append(r.single, 0)
				}
				r.all[k] += float64(a.Bytes[k])
				if a.Kind == result.KindServer {
					r.single[k] += float64(a.Bytes[k])
				}
			}
		}
		r.rehashed += summed(c, atpps.CountRehashed)
	}
}

// until is the end of an interval.
func (*rehashing) until(k int) units.Duration { return units.Duration(k+1) * interval13b }

// share is what servers added of what they did at first, in percent.
func (r *rehashing) share(k int) float64 { return 100 * r.single[k] / r.single[0] }

// left is that at the end, in the last fourth of the time.
func (r *rehashing) left() (percent float64) {
	from := len(r.single) * 3 / 4
	for k := from; k < len(r.single); k++ {
		percent += r.share(k) / float64(len(r.single)-from)
	}
	return percent
}

// windows is how many spans of packets each job has sent by the end of an interval.
func (r *rehashing) windows(k int) (n float64) {
	for _, all := range r.all[:k+1] {
		n += all / (2 * fig13Jobs * span13b) // two workers
	}
	return n
}

// settles returns the last interval in which servers added as much as counts; false: that is the last of
// all.
func (r *rehashing) settles() (last int, ok bool) {
	for k := range r.single {
		if r.single[k] >= settled*r.single[0] {
			last = k
		}
	}
	return last, last+1 < len(r.single)
}

// says tells how that ended.
func (r *rehashing) says() string {
	if k, ok := r.settles(); ok {
		return fmt.Sprintf("by %.3g ms, %.0f windows and %d moves", r.until(k).Milliseconds(), r.windows(k), r.rehashed)
	}
	return fmt.Sprintf("not by %.3g ms, when %.3g%% are left", r.until(len(r.single)-1).Milliseconds(), r.left())
}

func runATPFig13b(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	runs := rehashings()
	var labs []tenantLab
	for i := range runs {
		labs = append(labs, runs[i].lab(e))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return f, err
	}
	for i := range runs {
		runs[i].take(cells[i])
		runs[i].ran = labs[i].ran
	}
	const model = "three jobs that only communicate, with 660 packets in flight each at most"
	full, recycled, hashed, room := &runs[0], &runs[1], &runs[2], &runs[5]
	m := claims.Text("not reached").On(model)
	if k, ok := full.settles(); ok {
		m = claims.Number(full.until(k).Milliseconds()).On(model)
	}
	f.Set("atp.fig13b.converge-500ms", m.Noting("%s; with atp.rehash=recycle %s; with atp.rehash=index %s", full.says(), recycled.says(), hashed.says()))
	f.Set("atp.s3.6.dynamic-hash", claims.Number(room.left()).On(model).
		Noting("of the initial collisions, at a load of %g; %.3g%% with atp.rehash=index, %.3g%% where nothing moves", load13b, runs[6].left(), runs[8].left()))
	f.Tables = append(f.Tables, settlingTable(runs))
	f.Figures = append(f.Figures, settlingFigure(runs))
	err = drawPause(ctx, e, &f)
	return f, err
}

func settlingTable(runs []rehashing) claims.Table {
	t := claims.Table{
		ID: "atp.fig13b", Title: "What servers add over time, since packets collide",
		Columns: []claims.Column{{Name: "run"}, {Name: "switch"}, {Name: "aggregators"}, {Name: "until", Unit: "ms"}, {Name: "windows"}, {Name: "added by servers", Unit: "1/ms"}, {Name: "of the first", Unit: "%"}, {Name: "moves in all"}},
		Notes:   []string{"Contributions of all jobs: each packet that collides is one that a server adds. The name says how a table is filled and what atp.rehash is.", insideNote},
	}
	for i := range runs {
		r := &runs[i]
		for k := range r.single {
			t.Add(render.Text(r.name), render.Text(r.ran), render.Int(r.table), render.Number(r.until(k).Milliseconds(), 2), render.Number(r.windows(k), 0),
				render.Number(r.single[k]/interval13b.Milliseconds(), 1), render.Number(r.share(k), 2), render.Int(r.rehashed))
		}
	}
	return t
}

// settlingFigure has a panel for each table. What is 0 is not on its axes.
func settlingFigure(runs []rehashing) figure.Figure {
	f := figure.Figure{
		ID: "atp.fig13b", Title: "Fragments that collide move", Columns: 2,
		Notes: []string{"Names say what atp.rehash is, and whether places of windows move (atp.moves). An interval with none has no point."},
	}
	for _, t := range []struct{ name, title string }{{"full", "a table that windows fill"}, {"room", fmt.Sprintf("a load of %g", load13b)}} {
		p := figure.Panel{
			Title: t.title, X: figure.Axis{Label: "time", Unit: "ms"},
			Y: figure.Axis{Label: "contributions that servers added", Unit: "1/ms", Scale: figure.Log10},
		}
		for i := range runs {
			if name, ok := strings.CutPrefix(runs[i].name, t.name+", "); ok {
				p.Series = append(p.Series, runs[i].series(name))
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func (r *rehashing) series(name string) figure.Series {
	line := figure.Series{Name: name}
	for k, n := range r.single {
		if n > 0 {
			line.Points = append(line.Points, figure.Point{X: r.until(k).Milliseconds(), Y: n / interval13b.Milliseconds()})
		}
	}
	return line
}
