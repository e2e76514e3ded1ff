package virtual

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// pauseLab is three jobs that only communicate, on a third of the aggregators that their packets in flight
// need; one pauses (ATP Fig 13c, by its setting).
func pauseLab(e *experiment.Env) tenantLab {
	l := fig13Lab(e, atpTenant(e, span13b, span13b), nil)
	n := experiment.Cut(e, 12, 6)
	for i := range l.jobs {
		l.jobs[i].model, l.jobs[i].mib, l.jobs[i].iterations = "", 4, n
	}
	last := &l.jobs[fig13Jobs-1]
	last.iterations, last.times = n*2/3, worker.Times{Every: n / 3, Off: units.Millisecond.Scale(float64(n / 3))}
	l.first = func(s *job.Spec) { s.Interval = interval13c }
	return l
}

// interval13c is that by which contributions are counted (assumed: the paper has 10 ms, and longer jobs).
const interval13c = 250 * units.Microsecond

// drawPause simulates Fig 13c, whose claim is one of live runs, for its table and figure.
func drawPause(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	labs := []tenantLab{pauseLab(e)}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return err
	}
	t := claims.Table{
		ID: "atp.fig13c", Title: "What switches add on a third of the aggregators, while a job pauses",
		Columns: []claims.Column{{Name: "until", Unit: "ms"}, {Name: "switch"}},
	}
	p := figure.Panel{X: figure.Axis{Label: "time", Unit: "ms"}, Y: figure.Axis{Label: "contributions that switches added", Unit: "1/ms"}}
	var rows [][]render.Cell
	for i := range cells[0] {
		name := fmt.Sprintf("job %d", i+1)
		t.Columns = append(t.Columns, claims.Column{Name: name, Unit: "1/ms"})
		line := figure.Series{Name: name}
		for _, a := range cells[0][i].Aggregations {
			if a.Kind != result.KindSwitch {
				continue
			}
			for k := range max(0, len(a.Bytes)-1) { // the last is not whole
				at, rate := (units.Duration(k+1) * a.Interval).Milliseconds(), float64(a.Bytes[k])/a.Interval.Milliseconds()
				line.Points = append(line.Points, figure.Point{X: at, Y: rate})
				if i == 0 {
					rows = append(rows, []render.Cell{render.Number(at, 2), render.Text(labs[0].ran)})
				}
				rows[k] = append(rows[k], render.Number(rate, 0))
			}
		}
		p.Series = append(p.Series, line)
	}
	for _, row := range rows {
		t.Add(row...)
	}
	f.Tables = append(f.Tables, t)
	f.Figures = append(f.Figures, figure.Figure{ID: "atp.fig13c", Title: "A job pauses", Panels: []figure.Panel{p}})
	return nil
}
