package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/topo/plan"
)

// course carries out what the scenario does to the processes of a run. It lives on the
// goroutine that follows the run.
type course struct {
	steps []job.Step // those that are left
	next  *time.Timer
	down  map[*proc.Process]bool // ended by the course; looked up
	tidy  map[*proc.Process]bool // of these, those that had to end in order; looked up
	joins []*join                // that are under way
	cut   bool                   // the trace of a switch ends where it was killed
}

func newCourse(steps []job.Step) course {
	c := course{steps: steps, next: time.NewTimer(0), down: map[*proc.Process]bool{}, tidy: map[*proc.Process]bool{}}
	c.next.Stop()
	return c
}

// await sets the timer to the next step.
func (r *run) await() {
	if len(r.course.steps) > 0 {
		at := r.epoch + int64(r.course.steps[0].At/units.Nanosecond)
		r.course.next.Reset(time.Duration(at - pktio.MonotonicNow()))
	}
}

// step does all that is due at one time. The processes of a job that ends with one of its
// workers so have no time to complain of it.
func (r *run) step(ctx context.Context, events chan<- event, stop <-chan struct{}) error {
	defer r.await()
	for at := r.course.steps[0].At; len(r.course.steps) > 0 && r.course.steps[0].At == at; {
		s := r.course.steps[0]
		r.course.steps = r.course.steps[1:]
		if s.Job >= 0 && r.tenants[s.Job].over() {
			continue // it was done before
		}
		if err := r.do(ctx, &s, events, stop); err != nil {
			return fmt.Errorf("%v: %w", &s, err)
		}
	}
	return nil
}

func (r *run) do(ctx context.Context, s *job.Step, events chan<- event, stop <-chan struct{}) error {
	r.note(s)
	switch {
	case s.Ends():
		return r.endJob(s)
	case s.Verb == job.Start:
		return r.startAgain(ctx, s, events, stop)
	case s.Verb == job.Forget:
		return r.askSwitch(ctx, s, control.Request{Op: control.OpForget})
	case s.Verb == job.Raise:
		return r.askSwitch(ctx, s, control.RaiseOf(s.Event, s.Value, s.Program))
	}
	return r.end(s)
}

// askSwitch asks the switch of a step for something, as its control plane would.
func (r *run) askSwitch(ctx context.Context, s *job.Step, request control.Request) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	_, err := control.Patiently(ctx, func() (out control.Response, err error) {
		c, err := control.Dial(ctx, control.SocketPath(r.lab.Dir(), s.Node))
		if err != nil {
			return out, err
		}
		defer c.Close()
		return c.Do(ctx, request)
	})
	return err
}

// note says in the records that a step was taken.
func (r *run) note(s *job.Step) {
	for k, t := range r.tenants {
		if s.Job < 0 || s.Job == k {
			t.cell.Course = append(t.cell.Course, s.String())
		}
	}
}

// endJob ends what still runs of a job.
func (r *run) endJob(s *job.Step) error {
	t := r.tenants[s.Job]
	t.cell.Ended = &result.End{At: units.Time(s.At), Reason: s.Reason}
	return r.endAll(stopGrace, slices.Concat(t.seats, t.servers)...)
}

// endAll ends processes, all at once. Without grace they are killed.
func (r *run) endAll(grace time.Duration, list ...*proc.Process) error {
	errs := make([]error, len(list))
	var ending sync.WaitGroup
	for i, p := range list {
		if p == nil || r.course.down[p] {
			continue
		}
		r.course.down[p] = true
		ending.Go(func() { errs[i] = p.Stop(grace) })
	}
	ending.Wait()
	return errors.Join(errs...)
}

// end ends one process.
func (r *run) end(s *job.Step) error {
	list := r.workers
	switch s.Role {
	case job.AsSwitch:
		list, r.course.cut = r.switches, r.course.cut || s.Verb == job.Kill
	case job.AsServer:
		list = r.servers
	}
	p, grace := latest(list, s.Node), time.Duration(0)
	if s.Verb == job.Stop {
		grace, r.course.tidy[p] = stopGrace, true
	}
	if s.Role != job.AsWorker {
		return r.endAll(grace, p)
	}
	t := r.tenants[s.Job]
	t.leave(s.Worker)
	return errors.Join(r.endAll(grace, p), r.left(p)) // it may have waited for a model, without a seat
}

// latest returns the process of a node that was started last.
func latest(list []*proc.Process, node string) (p *proc.Process) {
	for _, q := range list {
		if q.Node() == node {
			p = q
		}
	}
	return p
}

// startAgain starts a process of a switch or a worker.
func (r *run) startAgain(ctx context.Context, s *job.Step, events chan<- event, stop <-chan struct{}) error {
	ready, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	begin := r.startSwitchAgain
	if s.Role == job.AsWorker {
		begin = r.startWorkerAgain
	}
	p, err := begin(ready, s)
	if err != nil {
		return err
	}
	r.forwarders.Go(func() { forward(p, events, stop) })
	if err := p.WaitReady(ready); err != nil {
		return err
	}
	if s.Role == job.AsWorker {
		return r.ask(&join{of: r.tenants[s.Job], worker: s.Worker, waits: p, path: filepath.Join(r.private, fmt.Sprintf("%s.%d.model", p.Node(), p.PID()))})
	}
	if err := r.opt.Owner.Chown(control.SocketPath(r.lab.Dir(), s.Node)); err != nil {
		return err
	}
	return p.Send(proc.Command{Name: proc.CommandStart, EpochNS: r.epoch})
}

// startSwitchAgain starts a switch, in place of one that has ended.
func (r *run) startSwitchAgain(ctx context.Context, s *job.Step) (*proc.Process, error) {
	if err := os.Remove(control.SocketPath(r.lab.Dir(), s.Node)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err // one that was killed has left it
	}
	list := switches(r.set, r.private, r.opt.Plain)
	at := slices.IndexFunc(r.set.Plan().Switches, func(sw plan.Switch) bool { return sw.Name == s.Node })
	c := list[at : at+1]
	c[0].TracePath = r.again(s.Node, c[0].TracePath)
	r.traced(c[0].TracePath)
	c = r.opt.logging(r.set).configureSwitches(c, r.private)
	c[0].EventsPath = r.again(s.Node, c[0].EventsPath)
	var err error
	r.switches, err = r.start(ctx, r.switches, "switch", s.Node, c[0])
	return latest(r.switches, s.Node), err
}

// startWorkerAgain starts a worker, on its old host or a spare one.
func (r *run) startWorkerAgain(ctx context.Context, s *job.Step) (*proc.Process, error) {
	t, node := r.tenants[s.Job], s.Host.Name
	c := []hostlive.WorkerConfig{workerConfig(t.job, s.Config, &s.Host, r.private, r.opt.Plain)}
	c[0].Tensors = r.again(node, c[0].Tensors)
	t.tensors[s.Worker] = append(t.tensors[s.Worker], c[0].Tensors)
	c = r.opt.logging(r.set).configureWorkers(metered(c, r.set), r.private)
	c[0].EventsPath = r.again(node, c[0].EventsPath)
	var err error
	if t.workers, err = r.start(ctx, t.workers, "worker", node, c[0]); err != nil {
		return nil, err
	}
	p := t.workers[len(t.workers)-1]
	r.workers = append(r.workers, p)
	return p, nil
}

// again returns the file of a node that had other processes before.
func (r *run) again(node, path string) string {
	n := 0
	for _, p := range slices.Concat(r.switches, r.workers) {
		if p.Node() == node {
			n++
		}
	}
	if path == "" || n == 0 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.%d%s", path[:len(path)-len(ext)], n+1, ext)
}
