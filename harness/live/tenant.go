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
	workers []*proc.Process         // all that there were, in the order of their starts
	reports []hostlive.WorkerReport // of those that ended in order

	// By worker.
	seats   []*proc.Process // that runs, or is done; nil: it was ended
	done    []bool
	reached []int      // iterations, as far as is known
	tensors [][]string // files, one for each process

	heirs []int // by absence (Cell.Away): generation from which on another one records in its place; 0: none does

	servers       []*proc.Process
	serverReports []hostlive.ServerReport
}

func newTenant(j *job.Job, cell *result.Cell) *tenant {
	n := len(j.Hosts())
	return &tenant{job: j, cell: cell, done: make([]bool, n), reached: make([]int, n)}
}

// tenantOf returns the job of a process; nil: it is no worker or server.
func (r *run) tenantOf(p *proc.Process) *tenant {
	i := slices.IndexFunc(r.tenants, func(t *tenant) bool { return slices.Contains(t.workers, p) || slices.Contains(t.servers, p) })
	if i < 0 {
		return nil
	}
	return r.tenants[i]
}

// over reports whether the job was ended, or all workers are done that were not. One
// without any worker waits for its end.
func (t *tenant) over() bool {
	left := 0
	for i, p := range t.seats {
		if p == nil {
			continue
		}
		if left++; !t.done[i] && t.cell.Ended == nil {
			return false
		}
	}
	return left > 0 || t.cell.Ended != nil
}

// reach notes how far a worker came. One that was killed may have said so before.
func (t *tenant) reach(p *proc.Process, s *result.Sample) {
	if t.seats[s.Worker] == p {
		t.reached[s.Worker] = s.Iteration + 1
		return
	}
	for i := range t.cell.Away {
		if a := &t.cell.Away[i]; a.Worker == s.Worker && a.From == s.Iteration {
			a.From++
		}
	}
}

// seat gives the place of a worker to another process, which takes part from a generation on. In a
// job that waits for it the first one may be no more than lent: results of it came before it was there.
func (t *tenant) seat(p *proc.Process, worker, generation int, lent bool) {
	t.seats[worker], t.reached[worker] = p, generation
	if lent {
		generation++
	}
	for i := len(t.heirs) - 1; i >= 0; i-- {
		if t.cell.Away[i].Worker == worker {
			t.heirs[i] = generation
			return
		}
	}
}

// leave notes that a worker is away from now on.
func (t *tenant) leave(worker int) {
	t.seats[worker] = nil
	t.cell.Away = append(t.cell.Away, result.Away{Worker: worker, From: t.reached[worker]})
	t.heirs = append(t.heirs, 0)
}

// ended notes that the process of a worker is done.
func (t *tenant) ended(p *proc.Process) {
	if i := slices.Index(t.seats, p); i >= 0 {
		t.done[i] = true
	}
}

// limit returns how long a job may take, at so many times what it should.
func (t *tenant) limit(patience int) time.Duration {
	if t.job.Elements > 0 { // links without a rate expect no time
		return benchTimeout
	}
	return time.Duration(t.job.Longest(patience, t.cell.Expected)/units.Nanosecond) + readyTimeout
}

// startServers starts the processes of a job's servers. Those with streams are ready
// when its workers are.
func (r *run) startServers(ctx context.Context, t *tenant) (err error) {
	for _, s := range r.opt.logging(r.set).configureServers(servers(t.job, r.opt.Plain), r.private) {
		s.Interval = r.set.Interval()
		if t.servers, err = r.startOn(ctx, s.host, t.servers, "server", s.Node, s.ServerConfig); err != nil {
			return err
		}
	}
	r.servers = append(r.servers, t.servers...)
	return nil
}
