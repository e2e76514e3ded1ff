package live

import (
	"context"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// tenant is one of the jobs of a run, and what comes of it.
type tenant struct {
	job     *job.Job
	cell    *result.Cell
	workers []*proc.Process
	reports []hostlive.WorkerReport // of its workers

	servers       []*proc.Process // on hosts of their own
	serverReports []hostlive.ServerReport
}

// tenantOf returns the job of a process; nil: it is no worker or server.
func (r *run) tenantOf(p *proc.Process) *tenant {
	i := slices.IndexFunc(r.tenants, func(t *tenant) bool { return slices.Contains(t.workers, p) || slices.Contains(t.servers, p) })
	if i < 0 {
		return nil
	}
	return r.tenants[i]
}

// limit returns how long a job may take, at so many times what it should.
func (t *tenant) limit(patience int) time.Duration {
	if t.job.Elements > 0 { // links without a rate expect no time
		return benchTimeout
	}
	return time.Duration(t.cell.Expected/units.Nanosecond)*time.Duration(patience*t.job.Iterations) + readyTimeout
}

// startServers starts the processes of a job's servers. Those with streams are ready
// when its workers are.
func (r *run) startServers(ctx context.Context, t *tenant) (err error) {
	for _, s := range servers(t.job, r.opt.Plain) {
		if t.servers, err = r.startOn(ctx, s.host, t.servers, "server", s.Node, s.ServerConfig); err != nil {
			return err
		}
	}
	r.servers = append(r.servers, t.servers...)
	return nil
}
