package virtual

import (
	"context"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig16a is ATP Fig 16a: a job whose demand is below its share of a line, beside TCP.
func atpFig16a() experiment.Experiment {
	const id = "atp.fig16a.below-share"
	return experiment.Experiment{
		ID: "atp.fig16a", Title: "a VGG16 job of six workers, one of which shares its line with TCP",
		Claims: []claims.ID{id},
		Quick:  "a 132nd of the model and of its compute time in place of a 66th",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			r, err := runFig16a(ctx, e)
			if err != nil {
				return f, err
			}
			f.Set(id, claims.NumberParts(map[string]float64{"job": r.alone.Seconds() / r.beside.Seconds(), "link": r.used}).
				On("one flow of TCP that reacts to marks (RFC 3168), 64 MiB of queue").Noting("of the line the flow has %.2f before the job begins", r.before))
			f.Tables, f.Figures = append(f.Tables, fig16Table(r)), append(f.Figures, fig16Figure(r))
			return f, nil
		},
	}
}

// fig16Workers are the workers of ATP §5.5; the server and the receiver of the flow are beside them.
const fig16Workers = 6

// fig16 is the job alone, and beside the flow.
type fig16 struct {
	alone, beside units.Duration // iteration
	used, before  float64        // of the line, while the job runs and before
	job, flow     []float64      // payload of the line, in Gbit/s, by interval
	interval      units.Duration
}

// fig16Lab is the job, which begins later than the flow.
func fig16Lab(e *experiment.Env, beside bool, start, interval units.Duration) tenantLab {
	l := tenantLab{hosts: fig16Workers + 2, marks: threshold(e)}
	j := tenantJob{sys: atpTenant(e, atp.DefaultAggregators, 0), server: []int{fig16Workers}, model: "vgg16", cut: experiment.Cut(e, 66, 132), iterations: 8, times: worker.Times{Start: start}}
	for w := range fig16Workers {
		j.on = append(j.on, w)
	}
	l.jobs = append(l.jobs, j)
	l.first = func(s *job.Spec) {
		s.Interval = interval
		if beside {
			s.Flows = []job.Flow{{Name: "background", Kind: job.FlowTCP, ECN: true, From: s.Plan.Hosts[0].Name, To: s.Plan.Hosts[fig16Workers+1].Name, Pattern: traffic.Pattern{Packet: job.DefaultWrite}}}
		}
	}
	return l
}

func runFig16a(ctx context.Context, e *experiment.Env) (*fig16, error) {
	const start, interval = 5 * units.Millisecond, units.Millisecond
	cells, err := together(ctx, e, []tenantLab{fig16Lab(e, false, start, interval), fig16Lab(e, true, start, interval)})
	if err != nil {
		return nil, err
	}
	r := &fig16{alone: testbed.MeanIteration(&cells[0][0]), beside: testbed.MeanIteration(&cells[1][0]), interval: interval}
	for i := range cells[1][0].Throughput {
		r.take(&cells[1][0].Throughput[i])
	}
	// What counts is bytes on the line: headers are not in the payload that series have.
	const ofJob, ofFlow = float64(testbed.ATPFrame) / testbed.ATPValues, float64(testbed.MTU+14) / (testbed.MTU - 52)
	line := float64(testbed.Gigabit100) / 1e9
	var during, earlier, n, m float64
	for i := range min(len(r.job), len(r.flow)) - 1 {
		use := (ofJob*r.job[i] + ofFlow*r.flow[i]) / line
		if units.Duration(i)*interval >= start {
			during, n = during+use, n+1
		} else if i > 0 {
			earlier, m = earlier+use, m+1
		}
	}
	r.used, r.before = during/n, earlier/m
	return r, nil
}

// take takes a series: of the job, what a worker got, which is what it sent; or of the flow.
func (r *fig16) take(t *result.Throughput) {
	for i := range t.Bytes {
		if t.Kind == result.KindJob {
			r.job = append(r.job, t.Rate(i)/fig16Workers/1e9)
		} else {
			r.flow = append(r.flow, t.Rate(i)/1e9)
		}
	}
}

func fig16Table(r *fig16) claims.Table {
	t := claims.Table{
		ID: "atp.fig16a", Title: "A job beside a flow of TCP on the line of one of its workers",
		Columns: []claims.Column{{Name: "alone", Unit: "ms"}, {Name: "beside the flow", Unit: "ms"}, {Name: "line used"}, {Name: "before the job"}},
	}
	t.Add(render.Number(r.alone.Milliseconds(), 3), render.Number(r.beside.Milliseconds(), 3), render.Number(r.used, 3), render.Number(r.before, 3))
	return t
}

func fig16Figure(r *fig16) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "payload", Unit: "Gbit/s"}}
	for _, s := range []struct {
		name string
		list []float64
	}{{"ATP", r.job}, {"TCP", r.flow}} {
		line := figure.Series{Name: s.name}
		for i, g := range s.list {
			line.Points = append(line.Points, figure.Point{X: (units.Duration(i) * r.interval).Milliseconds(), Y: g})
		}
		p.Series = append(p.Series, line)
	}
	return figure.Figure{ID: "atp.fig16a", Title: "A job beside TCP", Panels: []figure.Panel{p}}
}
