package scenarios

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/expect"
	"github.com/inalab/inalab/reports/render"
)

// expectations reads what a scenario expects of its results.
func (r *resolver) expectations(f *raw) (out []expect.Check) {
	var swept []string
	for _, entry := range f.Sweep {
		for _, item := range entry {
			swept = append(swept, fmt.Sprint(item.Key))
		}
	}
	for i, e := range f.Expect {
		columns := render.SummaryKeys(job.Baseline(r.systems))
		if e.Table != "" {
			r.oneOf(fmt.Sprintf("expect[%d].table", i), e.Table, render.RunTables...)
			columns = render.RunKeys(e.Table)
		}
		if columns == nil {
			continue
		}
		columns = append(columns, swept...)
		c := expect.Check{Table: e.Table, Column: e.Column, Min: e.Min, Max: e.Max}
		for _, item := range e.Where {
			c.Where = append(c.Where, result.Swept{Key: fmt.Sprint(item.Key), Value: fmt.Sprint(item.Value)})
		}
		r.wrong(fmt.Sprintf("expect[%d]", i), c.Validate(slices.Compact(columns)))
		out = append(out, c)
	}
	return out
}
