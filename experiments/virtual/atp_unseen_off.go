package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpJobOff is three jobs of five workers on one switch, one of which pauses.
func atpJobOff() experiment.Experiment {
	const id = "atp.unseen.job-off"
	return experiment.Experiment{
		ID: id, Title: "three jobs of five workers, one of them off for a while, against arithmetic",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{id},
		Quick:  "1.5 ms before, during and after the pause in place of 5",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			spans, series, err := runJobOff(ctx, e)
			if err != nil {
				return f, err
			}
			outside := 0.0
			for i := range spans {
				outside = max(outside, spans[i].rate.outside(spans[i].measured))
			}
			f.Set(id, claims.NumberParts(map[string]float64{"outside_pct": outside}).
				On("a server a job, links of 100 Gbit/s, indexes that do not move").
				Noting("contributions that the switch adds for the two other jobs: predicted %s, measured %s in 10 ms", predictedSpans(spans), measuredSpans(spans)))
			f.Tables, f.Figures = append(f.Tables, spansTable(spans)), append(f.Figures, figure.Figure{ID: "atp.unseen.job-off", Title: "A job of five workers pauses", Panels: []figure.Panel{offPanel(spans, series)}})
			return f, nil
		},
	}
}

// Settings of the three jobs: a window of 2000, and aggregators for two windows.
const (
	fewJobs        = 3
	fiveWorkers    = 5
	fewWindow      = 2000
	fewTable       = 2 * fewWindow
	perInterval    = 10 * units.Millisecond // of contributions: Fig 13c's
	seriesInterval = 100 * units.Microsecond
)

// span is a part of a run in which the same jobs send.
type span struct {
	name      string
	predicted steady
	rate      interval // contributions that the switch adds of a job in 10 ms
	from, to  units.Time
	measured  float64 // mean of the two others
	least     float64 // of the two
	most      float64
	last      float64 // of the job that pauses
	ran       string  // what aggregated
}

// settleTrips are the round trips after which a change of the jobs is over (assumed: one for packets in flight, one for their
// places to come again).
const settleTrips = 2

// spansOf predicts the parts of a run.
func spansOf(e *experiment.Env) []span {
	out := []span{{name: "before"}, {name: "during"}, {name: "after"}}
	for i := range out {
		s := &out[i]
		jobs := fewJobs
		if s.name == "during" {
			jobs--
		}
		s.predicted = newSteady(e, occupancy{table: fewTable, jobs: jobs, places: fewWindow, apart: true}, fiveWorkers)
		s.rate = s.predicted.over(func(share float64) float64 {
			return share * fiveWorkers * s.predicted.fragments(share) * perInterval.Seconds()
		})
	}
	return out
}

// trip is the longest round trip of the span, of a window whose frames are on the server's line.
func (s *span) trip() units.Duration {
	return (fewWindow * s.predicted.frame).Scale(s.predicted.frames(s.predicted.shares().low))
}

// jobOffLab has the last job send two tensors with a pause between them. Those of the others last longer.
func jobOffLab(e *experiment.Env, spans []span) tenantLab {
	long := experiment.Cut(e, 5.0, 1.5) // ms
	sys := stillTenant(e, fewTable, fewWindow)
	l := tenantLab{hosts: fewJobs * (fiveWorkers + 1), first: func(s *job.Spec) { s.Interval = seriesInterval }}
	mib := func(s *span, times float64) int { // that a job has done in that time
		fragments := s.predicted.fragments(s.predicted.shares().high) * times * long / 1e3
		return 1 + int(fragments*testbed.ATPValues/float64(units.MiB))
	}
	for i := range fewJobs {
		at := i * (fiveWorkers + 1)
		j := tenantJob{sys: sys, id: uint8(1 + i), server: []int{at + fiveWorkers}, iterations: 1, mib: mib(&spans[0], 2.5) + mib(&spans[1], 1)}
		for k := range fiveWorkers {
			j.on = append(j.on, at+k)
		}
		if i == fewJobs-1 {
			j.mib, j.iterations = mib(&spans[0], 1), 2
			j.times = worker.Times{Every: 1, Off: units.Millisecond.Scale(long)}
		}
		l.jobs = append(l.jobs, j)
	}
	return l
}

// runJobOff simulates them, and returns what the switch added of each job by time.
func runJobOff(ctx context.Context, e *experiment.Env) ([]span, []result.Aggregation, error) {
	spans := spansOf(e)
	labs := []tenantLab{jobOffLab(e, spans)}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return nil, nil, err
	}
	var series []result.Aggregation
	for i := range cells[0] {
		c := &cells[0][i]
		if n := summed(c, sansio.CountResentPackets); n > 0 {
			return nil, nil, fmt.Errorf("%s sent %d packets again, though none can be lost", c.Job, n)
		}
		k := slices.IndexFunc(c.Aggregations, func(a result.Aggregation) bool { return a.Kind == result.KindSwitch })
		series = append(series, c.Aggregations[k])
	}
	if err := cutSpans(spans, cells[0]); err != nil {
		return nil, nil, err
	}
	for i := range spans {
		spans[i].ran = labs[0].ran
		spans[i].measure(series)
	}
	return spans, series, nil
}

// cutSpans finds when the last job sends, and when not.
func cutSpans(spans []span, cells []result.Cell) error {
	off := &cells[fewJobs-1]
	var begin, end [2]units.Time
	for _, s := range off.Samples {
		begin[s.Iteration], end[s.Iteration] = max(begin[s.Iteration], s.Start), max(end[s.Iteration], s.End)
	}
	for i, at := range [][2]units.Time{{begin[0], end[0]}, {end[0], begin[1]}, {begin[1], end[1]}} {
		s := &spans[i]
		s.from, s.to = at[0].Add(settleTrips*s.trip()), at[1]
		if i != 1 { // its last window is out
			s.to = s.to.Add(-s.trip())
		}
	}
	for i := range fewJobs - 1 {
		if cells[i].Samples[0].End < spans[2].to {
			return fmt.Errorf("%s ends at %v, before the span after the pause does, at %v", cells[i].Job, cells[i].Samples[0].End, spans[2].to)
		}
	}
	return nil
}

// measure takes the intervals that lie in the span as a whole.
func (s *span) measure(series []result.Aggregation) {
	var rates []float64
	for i := range series {
		rates = append(rates, s.rateOf(&series[i]))
	}
	others := rates[:fewJobs-1]
	for _, rate := range others {
		s.measured += rate / float64(len(others))
	}
	s.least, s.most, s.last = slices.Min(others), slices.Max(others), rates[fewJobs-1]
}

// rateOf is the mean of a series in the span, in 10 ms.
func (s *span) rateOf(a *result.Aggregation) float64 {
	sum, n := 0.0, 0
	for k, added := range a.Bytes {
		if a.Start(k) >= s.from && a.Start(k+1) <= s.to {
			sum, n = sum+float64(added), n+1
		}
	}
	return sum / float64(n) * perInterval.Seconds() / a.Interval.Seconds()
}

func predictedSpans(spans []span) string {
	return joined(spans, func(s *span) string { return fmt.Sprintf("%.0f to %.0f thousand", s.rate.low/1e3, s.rate.high/1e3) })
}

func measuredSpans(spans []span) string {
	return joined(spans, func(s *span) string { return fmt.Sprintf("%.0f thousand", s.measured/1e3) })
}

// joined says something of each span.
func joined(spans []span, say func(*span) string) (out string) {
	for i := range spans {
		if i > 0 {
			out += ", "
		}
		out += spans[i].name + " " + say(&spans[i])
	}
	return out
}

func spansTable(spans []span) claims.Table {
	t := claims.Table{
		ID: "atp.unseen.job-off", Title: "Contributions that the switch adds of a job of five workers, while another is off",
		Columns: []claims.Column{
			{Name: "the third job's pause"}, {Name: "switch"}, {Name: "jobs"}, {Name: "aggregators in use"}, {Name: "predicted share of the switch"}, {Name: "predicted", Unit: "1/10 ms"},
			{Name: "mean", Unit: "1/10 ms"}, {Name: "least", Unit: "1/10 ms"}, {Name: "most", Unit: "1/10 ms"}, {Name: "outside", Unit: "%"}, {Name: "the third", Unit: "1/10 ms"},
		},
		Notes: []string{
			fmt.Sprintf("Of the two other jobs. %d aggregators, J jobs with windows of S = %d. In use are N(1-(1-S/N)^J); of a share a of fragments the server's line has a + 5(1-a) frames each.", fewTable, fewWindow),
			"Without two round trips behind each change, and the last one of each tensor.",
			portsNote(),
		},
	}
	for i := range spans {
		s := &spans[i]
		t.Add(render.Text(s.name), render.Text(s.ran), render.Int(s.predicted.jobs), render.Number(s.predicted.used(), 1), s.predicted.shares().cell(3), s.rate.cell(0),
			render.Number(s.measured, 0), render.Number(s.least, 0), render.Number(s.most, 0), render.Number(s.rate.outside(s.measured), 2), render.Number(s.last, 0))
	}
	return t
}

// offPanel draws what the switch adds by time, and what is predicted.
func offPanel(spans []span, series []result.Aggregation) figure.Panel {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "contributions that the switch added", Unit: "1/10 ms"}}
	for i := range series {
		a := &series[i]
		line := figure.Series{Name: fmt.Sprintf("job %d", i+1)}
		for k := range max(0, len(a.Bytes)-1) { // the last is not whole
			at := units.Duration(k+1) * a.Interval
			line.Points = append(line.Points, figure.Point{X: at.Milliseconds(), Y: float64(a.Bytes[k]) * perInterval.Seconds() / a.Interval.Seconds()})
		}
		p.Series = append(p.Series, line)
	}
	for _, end := range []struct {
		name string
		of   func(interval) float64
	}{{"predicted, least", func(i interval) float64 { return i.low }}, {"predicted, most", func(i interval) float64 { return i.high }}} {
		line := figure.Series{Name: end.name}
		for i := range spans {
			s := &spans[i]
			for _, at := range []units.Time{s.from, s.to} {
				line.Points = append(line.Points, figure.Point{X: units.Duration(at).Milliseconds(), Y: end.of(s.rate)})
			}
		}
		p.Series = append(p.Series, line)
	}
	return p
}
