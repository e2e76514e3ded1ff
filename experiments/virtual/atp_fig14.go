package virtual

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/atp"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig14 is ATP Fig 14: how packets find aggregators, by the number of jobs.
func atpFig14() experiment.Experiment {
	const id = "atp.fig14.hash-vs-linear"
	return experiment.Experiment{
		ID: "atp.fig14", Title: "up to eight jobs that only communicate, with hashed, linear and static indexes",
		Switch: []claims.Switch{claims.SwitchReference, claims.SwitchPipelineTimed},
		Claims: []claims.ID{id},
		Quick:  "1 and 8 jobs in place of all from 1 to 8, and on the pipeline 1 and 4 in place of all from 1 to 5",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			points, err := runFig14(ctx, e)
			if err != nil {
				return f, err
			}
			whole := onReference(points)
			last := &whole[len(whole)-1]
			m := claims.NumberParts(map[string]float64{"hash_over_static": leastOf(whole, hashed, static), "linear_over_hash": last.rate[linear] / last.rate[hashed]})
			f.Set(id, m.RanOn(claims.SwitchReference).On("two workers a job, links of 100 Gbit/s to a server of its own for each").
				Noting("%d jobs on %d aggregators; servers add %.0f%% of the contributions with hashes, %.0f%% linearly", last.jobs, last.aggregators, 100*last.atServer[hashed], 100*last.atServer[linear]))
			f.Tables, f.Figures = append(f.Tables, fig14Table(points)), append(f.Figures, fig14Figure(whole))
			return f, nil
		},
	}
}

// fig14Tensors are the tensors of a job, in quick runs too: collisions of its first ones would be too much of fewer.
const fig14Tensors = 6

// scheme is a way to find an aggregator.
type scheme int

const (
	hashed scheme = iota
	linear
	static
	schemes // how many there are
)

var schemeNames = [schemes]string{hashed: "hash", linear: "linear", static: "static"}

// system is ATP with a table of what jobs need, which they use this way.
func (s scheme) system(e *experiment.Env, need, jobs int) atp.System {
	switch s {
	case linear:
		sys := atpTenant(e, need*jobs, need)
		sys.Indexing = host.Linear
		return sys
	case static:
		return staticTenant(e, need*jobs, jobs)
	}
	return atpTenant(e, need*jobs, need)
}

// fig14Lab is jobs of two workers and a server each, which begin at the same time and pause never.
func fig14Lab(e *experiment.Env, sys atp.System, jobs int) tenantLab {
	l := tenantLab{hosts: 3 * jobs, marks: threshold(e)}
	for i := range jobs {
		l.jobs = append(l.jobs, tenantJob{
			sys: sys, id: uint8(1 + i), on: []int{3 * i, 3*i + 1}, server: []int{3*i + 2},
			mib: 4, iterations: fig14Tensors,
		})
	}
	return l
}

// crowd is a number of jobs under each scheme.
type crowd struct {
	jobs, aggregators int
	rate              [schemes]float64 // mean of the jobs, in Gbit/s of values
	atServer          [schemes]float64 // share of contributions that servers added
	ran               string           // what aggregated
}

// onReference returns the points of the reference program, on which the claim rests: it has the ports for all jobs.
func onReference(points []crowd) (out []crowd) {
	for _, p := range points {
		if p.ran == testbed.OnReference {
			out = append(out, p)
		}
	}
	return out
}

// leastOf is the smallest ratio of the rates of two schemes, whatever the number of jobs.
func leastOf(points []crowd, of, over scheme) float64 {
	least := math.Inf(1)
	for i := range points {
		least = min(least, points[i].rate[of]/points[i].rate[over])
	}
	return least
}

// runFig14 gives any number of jobs as many aggregators as they need with static parts, on the reference program
// and, of as many jobs as a pipe has ports for, on the chip.
func runFig14(ctx context.Context, e *experiment.Env) (out []crowd, err error) {
	lab := func(sys atp.System, jobs int, oracle bool) tenantLab {
		l := fig14Lab(e, sys, jobs)
		l.oracle = oracle
		return l
	}
	n, err := findNeed(ctx, e, func(part int) tenantLab { return lab(staticTenant(e, part, 1), 1, true) })
	if err != nil {
		return nil, err
	}
	var labs []tenantLab
	add := func(oracle bool, numbers []int) {
		for _, jobs := range numbers {
			out = append(out, crowd{jobs: jobs, aggregators: jobs * n.job})
			for s := range schemes {
				labs = append(labs, lab(s.system(e, n.job, jobs), jobs, oracle))
			}
		}
	}
	add(true, experiment.Cut(e, []int{1, 2, 3, 4, 5, 6, 7, 8}, []int{1, 8}))
	add(false, experiment.Cut(e, []int{1, 2, 3, 4, 5}, []int{1, 4}))
	cells, err := together(ctx, e, labs)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		p, s := &out[i/int(schemes)], scheme(i%int(schemes))
		p.ran = labs[i].ran
		values := labs[i].jobs[0].profile(e).Size()
		p.rate[s], p.atServer[s] = 8*float64(values)/warmMean(c).Seconds()/1e9, addedByServers(&c[0])
	}
	return out, nil
}

func fig14Table(points []crowd) claims.Table {
	t := claims.Table{ID: "atp.fig14", Title: "Rate of a job by the number of jobs and how packets find aggregators", Columns: []claims.Column{{Name: "jobs"}, {Name: "switch"}, {Name: "aggregators"}}}
	for _, name := range schemeNames {
		t.Columns = append(t.Columns, claims.Column{Name: name, Unit: "Gbit/s"}, claims.Column{Name: name + ", added by servers", Unit: "%"})
	}
	t.Notes = []string{
		fmt.Sprintf("Mean of the jobs, without the first tensor. As many aggregators as are needed with static parts for %g%% of the best rate.", 100*peak),
		"Jobs need three ports each, and a pipe has 16: the claim rests on the reference program, in a switch that takes no time. " + insideNote,
	}
	for i := range points {
		p := &points[i]
		row := []render.Cell{render.Int(p.jobs), render.Text(p.ran), render.Int(p.aggregators)}
		for s := range schemes {
			row = append(row, render.Number(p.rate[s], 2), render.Number(100*p.atServer[s], 1))
		}
		t.Add(row...)
	}
	return t
}

func fig14Figure(points []crowd) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "jobs"}, Y: figure.Axis{Label: "rate of a job", Unit: "Gbit/s"}}
	for s := range schemes {
		p.Series = append(p.Series, figure.SeriesOf(schemeNames[s], points, func(c *crowd) figure.Point {
			return figure.Point{X: float64(c.jobs), Y: c.rate[s]}
		}))
	}
	return figure.Figure{ID: "atp.fig14", Title: "Indexes of aggregators", Panels: []figure.Panel{p}}
}
