package live

import (
	"slices"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/units"
	nodelive "github.com/inalab/inalab/nodes/worker/live"
)

// tenant is one of the jobs of a run, and what comes of it.
type tenant struct {
	job     *job.Job
	cell    *result.Cell
	workers []*proc.Process
	reports []nodelive.Report // of its workers
}

// of returns the job of a process; nil: it is no worker.
func (r *run) of(p *proc.Process) *tenant {
	i := slices.IndexFunc(r.tenants, func(t *tenant) bool { return slices.Contains(t.workers, p) })
	if i < 0 {
		return nil
	}
	return r.tenants[i]
}

// limit returns how long a job may take.
func (t *tenant) limit() time.Duration {
	if t.job.Elements > 0 { // links without a rate expect no time
		return benchTimeout
	}
	return time.Duration(t.cell.Expected/units.Nanosecond)*time.Duration(patience*t.job.Iterations) + readyTimeout
}
