package virtual

import (
	"cmp"
	"context"
	"fmt"

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

// atpFig16 is ATP Fig 16: a job beside TCP on the line of one of its workers. In a it asks for less than
// its share of the line, in b for more.
func atpFig16() experiment.Experiment {
	const a, b = "atp.fig16a.below-share", "atp.fig16b.near-fair-share"
	return experiment.Experiment{
		ID: "atp.fig16", Title: "a job of six workers, one of which shares its line with TCP: VGG16, and a tensor without a pause",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{a, b},
		Quick:  "4 iterations of a 66th of the model and of its compute time in place of 8 of a 16th, a tensor of 48 MiB in place of 192, one flow and no other direction",
		Run: func(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			runs, err := runFig16(ctx, e)
			if err != nil {
				return f, err
			}
			const model = "to the worker; NewReno that reacts to marks (RFC 3168), a latency of kernel TCP each way, 64 MiB of queue"
			vgg, micro := &runs[0], &runs[1]
			f.Set(a, claims.NumberParts(map[string]float64{"job": vgg.kept(), "link": vgg.used}).On(model).
				Noting("before the job begins the flow has %.2f of the line", vgg.before))
			f.Set(b, claims.NumberParts(map[string]float64{"job": micro.share(), "link": micro.used}).On(model).
				Noting("before the job begins the flow has %.2f of the line, and the job alone %.2f", micro.before, micro.peak))
			f.Tables, f.Figures = append(f.Tables, fig16Table(runs)), append(f.Figures, fig16Figure("atp.fig16a", "VGG16 beside TCP", vgg), fig16Figure("atp.fig16b", "A tensor without a pause beside TCP", micro))
			return f, nil
		},
	}
}

const (
	// fig16Workers are the workers of ATP §5.5; the server and the receivers of flows are beside them.
	fig16Workers = 6
	// fig16Flows are the most flows beside the job: the paper has "background flows" (assumed).
	fig16Flows = 4
	// fig16Start is when the job begins; a flow is at its rate by then.
	fig16Start    = 20 * units.Millisecond
	fig16Interval = units.Millisecond
	// fig16Longest ends a run in which packets wait longer behind flows than the job's timeout.
	fig16Longest = units.Second
)

// fig16 is a job alone, and beside flows.
type fig16 struct {
	micro bool // a tensor without a pause; else VGG16
	flows int
	start units.Duration // of the job; zero: fig16Start
	up    bool           // the flows are from the worker, whose own queue does not mark; else to it

	alone, beside units.Duration // iteration; 0: the job was not done in time
	used, before  float64        // of the line, while the job runs and before
	mine          float64        // of the line, by the job while it runs
	peak          float64        // of the line, by the job alone
	job, flow     []float64      // payload of the line, in Gbit/s, by interval
	ran           string         // what aggregated
}

// kept is the share of its throughput alone that the job keeps.
func (r *fig16) kept() float64 { return r.alone.Seconds() / r.beside.Seconds() }

// share is what the job has of its fair share of the line.
func (r *fig16) share() float64 { return r.mine / min(r.peak, 1/float64(1+r.flows)) }

// lab is the job beside so many flows, which begin earlier.
func (r *fig16) lab(e *experiment.Env, flows int) tenantLab {
	l := tenantLab{hosts: fig16Workers + 2, marks: threshold(e)}
	j := tenantJob{sys: atpTenant(e, atp.DefaultAggregators, 0), server: []int{fig16Workers}, model: "vgg16", cut: experiment.Cut(e, 16, 66), iterations: experiment.Cut(e, 8, 4), times: worker.Times{Start: cmp.Or(r.start, fig16Start)}}
	if r.micro {
		j.mib, j.iterations = experiment.Cut(e, 192, 48), 1
	}
	for w := range fig16Workers {
		j.on = append(j.on, w)
	}
	l.jobs = append(l.jobs, j)
	cost := e.Constants.Flow()
	l.first = func(s *job.Spec) {
		s.Interval, s.FlowHost, s.Until = fig16Interval, cost, fig16Longest
		from, to := s.Plan.Hosts[fig16Workers+1].Name, s.Plan.Hosts[0].Name
		if r.up {
			from, to = to, from
		}
		for i := range flows {
			s.Flows = append(s.Flows, job.Flow{Name: fmt.Sprintf("background-%d", i), Kind: job.FlowTCP, ECN: true, From: from, To: to, Pattern: traffic.Pattern{Packet: job.DefaultWrite}})
		}
	}
	return l
}

func runFig16(ctx context.Context, e *experiment.Env) ([]fig16, error) {
	runs := []fig16{{flows: 1}, {flows: 1, micro: true}}
	if !e.Quick && !e.Varied {
		for _, r := range []fig16{{flows: fig16Flows}, {flows: 1, up: true}, {flows: fig16Flows, up: true}} {
			tensor := r
			tensor.micro = true
			runs = append(runs, r, tensor)
		}
	}
	var labs []tenantLab
	for i := range runs {
		labs = append(labs, runs[i].lab(e, 0), runs[i].lab(e, runs[i].flows))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		runs[i].take(&cells[2*i][0], &cells[2*i+1][0])
		runs[i].ran = labs[2*i].ran
	}
	return runs, nil
}

// take takes what came of the job alone, and beside flows. What counts is bytes on the line: headers are
// not in the payload that series have.
func (r *fig16) take(alone, beside *result.Cell) {
	const ofJob, ofFlow = float64(testbed.ATPFrame) / testbed.ATPValues, float64(testbed.MTU+14) / (testbed.MTU - 52)
	line := float64(testbed.Gigabit100) / 1e9
	r.alone = testbed.MeanIteration(alone)
	if beside.Ended == nil {
		r.beside = testbed.MeanIteration(beside)
	}
	own, _ := fig16Rates(alone)
	r.job, r.flow = fig16Rates(beside)
	begin := int(fig16Start / fig16Interval)
	r.peak = ofJob * mean(own[begin:len(own)-1]) / line
	last := min(len(r.job), len(r.flow)) - 1 // is not whole
	r.mine = ofJob * mean(r.job[begin:last]) / line
	r.used = r.mine + ofFlow*mean(r.flow[begin:last])/line
	r.before = ofFlow * mean(r.flow[begin/2:begin]) / line
}

// fig16Rates are payloads by interval in Gbit/s: of the job what a worker got, which is what it sent; and of all
// flows.
func fig16Rates(c *result.Cell) (ofJob, flows []float64) {
	for i := range c.Throughput {
		t := &c.Throughput[i]
		list, n := &flows, 1.0
		if t.Kind == result.KindJob {
			list, n = &ofJob, fig16Workers
		}
		for k := range t.Bytes {
			if k == len(*list) {
				*list = append(*list, 0)
			}
			(*list)[k] += t.Rate(k) / n / 1e9
		}
	}
	return ofJob, flows
}

func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}

func fig16Table(runs []fig16) claims.Table {
	t := claims.Table{
		ID: "atp.fig16", Title: "A job beside TCP on the line of one of its workers",
		Columns: []claims.Column{
			{Name: "job"}, {Name: "switch"}, {Name: "flows"}, {Name: "direction"}, {Name: "alone", Unit: "ms"}, {Name: "beside", Unit: "ms"}, {Name: "kept"}, {Name: "of its share"}, {Name: "line used"}, {Name: "before the job"},
		},
		Notes: []string{
			"Alone, beside: time of an iteration. Of its share: the mean rate of the job on the line, over what it has alone or an equal part of the line, whichever is less.",
			"A flow from the worker meets the job in that worker's own queue, which does not mark: switches do (ATP §3.7).",
			fmt.Sprintf("No time beside flows: the job was not done in %v. Its packets wait longer behind those of the flows than its timeout, so that it sends them again and again, one at a time.", fig16Longest),
			"Line used: by job and flows while the job runs; before the job: by the flows, in the latter half of the time until it begins.",
		},
	}
	for i := range runs {
		r := &runs[i]
		name, way := "VGG16", "to the worker"
		if r.micro {
			name = "a tensor"
		}
		if r.up {
			way = "from it"
		}
		beside, kept := render.Text("-"), render.Text("-")
		if r.beside > 0 {
			beside, kept = render.Number(r.beside.Milliseconds(), 3), render.Number(r.kept(), 3)
		}
		t.Add(render.Text(name), render.Text(r.ran), render.Int(r.flows), render.Text(way), render.Number(r.alone.Milliseconds(), 3), beside, kept, render.Number(r.share(), 3),
			render.Number(r.used, 3), render.Number(r.before, 3))
	}
	return t
}

func fig16Figure(id, title string, r *fig16) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "payload", Unit: "Gbit/s"}}
	both := make([]float64, min(len(r.job), len(r.flow)))
	for i := range both {
		both[i] = r.job[i] + r.flow[i]
	}
	for _, s := range []struct {
		name string
		list []float64
	}{{"ATP", r.job}, {"TCP", r.flow}, {"both", both}} {
		line := figure.Series{Name: s.name}
		for i, g := range s.list {
			line.Points = append(line.Points, figure.Point{X: (units.Duration(i) * fig16Interval).Milliseconds(), Y: g})
		}
		p.Series = append(p.Series, line)
	}
	return figure.Figure{ID: id, Title: title, Panels: []figure.Panel{p}, Notes: []string{fmt.Sprintf("The job begins at %g ms.", fig16Start.Milliseconds())}}
}
