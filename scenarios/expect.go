package scenarios

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/expect"
	"github.com/inalab/inalab/reports/render"
)

// expectations reads what a scenario expects of its summary.
func (r *resolver) expectations(f *raw) (out []expect.Check) {
	columns := render.SummaryKeys(job.Baseline(r.systems))
	for _, entry := range f.Sweep {
		for _, item := range entry {
			columns = append(columns, fmt.Sprint(item.Key))
		}
	}
	for i, e := range f.Expect {
		c := expect.Check{Column: e.Column, Min: e.Min, Max: e.Max}
		for _, item := range e.Where {
			c.Where = append(c.Where, result.Swept{Key: fmt.Sprint(item.Key), Value: fmt.Sprint(item.Value)})
		}
		r.wrong(fmt.Sprintf("expect[%d]", i), c.Validate(slices.Compact(columns)))
		out = append(out, c)
	}
	return out
}
