package virtual

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/figure"
)

// Iterations of the job that has an off phase, before and behind it; the off phase is as long.
const offAfter = 3

// offInterval is that of the series: the paper's 10 ms, over the least cut of the models.
const offInterval = 100 * units.Microsecond

// offLab is the three jobs on so many aggregators, the last of which pauses.
func offLab(e *experiment.Env, n *need, aggregators int, starts []units.Duration) tenantLab {
	l := fig13Lab(e, atpTenant(e, aggregators, n.job), starts)
	for i := range l.jobs {
		l.jobs[i].iterations = 4 * offAfter
	}
	last := &l.jobs[fig13Jobs-1]
	last.iterations = 2 * offAfter
	last.times = worker.Times{Start: starts[fig13Jobs-1], Every: offAfter, Off: offAfter * n.best}
	l.first = func(s *job.Spec) { s.Interval = offInterval }
	return l
}

// off is contributions that switches added for the jobs beside the one that pauses, and for how long, while
// that is on and while it is off.
type off struct {
	on, off       [fig13Jobs - 1]float64
	onFor, offFor units.Duration
	series        []result.Aggregation // of all jobs in the first run
	begin, end    units.Time           // of the pause in it
}

// step is the percent by which contributions of the job that gains least rise in the pause.
func (o *off) step() (least float64) {
	for i := range o.on {
		gain := 100 * (o.off[i]/o.offFor.Seconds()/(o.on[i]/o.onFor.Seconds()) - 1)
		if i == 0 || gain < least {
			least = gain
		}
	}
	return least
}

// take takes a run: the jobs are on together from the second iteration of the last on.
func (o *off) take(cells []result.Cell) error {
	var from, begin, end units.Time
	for _, s := range cells[fig13Jobs-1].Samples {
		switch {
		case s.Iteration == 0:
			from = max(from, s.End)
		case s.Iteration == offAfter-1:
			begin = max(begin, s.End)
		case s.Iteration == offAfter:
			end = s.Start
		}
	}
	for i := range o.on {
		samples := cells[i].Samples
		if samples[len(samples)-1].End < end {
			return errors.New("a job is done before the pause of the other is over")
		}
	}
	if o.series == nil {
		for i := range cells {
			o.series = append(o.series, cells[i].Aggregations...)
		}
		o.begin, o.end = begin, end
	}
	o.onFor, o.offFor = o.onFor+begin.Sub(from), o.offFor+end.Sub(begin)
	for i := range o.on {
		o.on[i] += inSwitches(&cells[i], from, begin)
		o.off[i] += inSwitches(&cells[i], begin, end)
	}
	return nil
}

// inSwitches is the contributions of a job that switches added between two times.
func inSwitches(c *result.Cell, from, to units.Time) (n float64) {
	for i := range c.Aggregations {
		a := &c.Aggregations[i]
		for k := range a.Bytes {
			if at := a.Start(k); a.Kind == result.KindSwitch && from <= at && at < to {
				n += float64(a.Bytes[k])
			}
		}
	}
	return n
}

// offPhase simulates a pause of one job, by draws of when jobs begin.
func offPhase(ctx context.Context, e *experiment.Env, n *need, aggregators int) (o off, err error) {
	var labs []tenantLab
	for _, starts := range draws(e, n.best) {
		labs = append(labs, offLab(e, n, aggregators, starts))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return o, err
	}
	for _, c := range cells {
		if err := o.take(c); err != nil {
			return o, err
		}
	}
	return o, nil
}

func offFigure(o *off) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "contributions added in the switch per interval"}}
	for i := range o.series {
		a := &o.series[i]
		if a.Kind != result.KindSwitch {
			continue
		}
		line := figure.Series{Name: a.Name}
		for k := range a.Bytes {
			line.Points = append(line.Points, figure.Point{X: a.Start(k).Sub(0).Milliseconds(), Y: float64(a.Bytes[k])})
		}
		p.Series = append(p.Series, line)
	}
	return figure.Figure{
		ID: "atp.fig13c", Title: "One of three jobs pauses", Panels: []figure.Panel{p},
		Notes: []string{fmt.Sprintf("The last job pauses from %.3g to %.3g ms; intervals of %v, since models are cut.", o.begin.Sub(0).Milliseconds(), o.end.Sub(0).Milliseconds(), offInterval)},
	}
}
