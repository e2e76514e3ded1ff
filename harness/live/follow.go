package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/result"
)

// event is a report of a process, or its end (report nil).
type event struct {
	process *proc.Process
	report  *proc.Report
}

// follow takes samples until every worker has ended, and fails as soon as any
// process ends in another way.
func (r *run) follow(ctx context.Context) error {
	events := make(chan event)
	stop := make(chan struct{})
	defer close(stop)
	for _, p := range slices.Concat(r.switches, r.servers, r.workers, r.flows) {
		r.forwarders.Go(func() { forward(p, events, stop) })
	}
	w := newWatch(r)
	ticks := time.NewTicker(watchTick)
	defer ticks.Stop()
	r.await()
	for !r.done() {
		select {
		case e := <-events:
			if err := r.take(e); err != nil {
				dead, cause := r.rootCause(ctx, e, events, err)
				return w.afterDeath(ctx, dead, events, cause)
			}
			if err := w.take(e); err != nil {
				return err
			}
		case <-r.course.next.C:
			if err := r.step(ctx, events, stop); err != nil {
				return err
			}
			w.restart()
		case now := <-ticks.C:
			if err := w.tick(now); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// forward passes a process's reports on until it ends.
func forward(p *proc.Process, events chan<- event, stop <-chan struct{}) {
	send := func(e event) bool {
		select {
		case events <- e:
			return true
		case <-stop:
			return false
		}
	}
	for report := range p.Reports() {
		if !send(event{p, &report}) {
			return
		}
	}
	<-p.Exited()
	send(event{p, nil})
}

// done reports whether all jobs are over.
func (r *run) done() bool {
	return !slices.ContainsFunc(r.tenants, func(t *tenant) bool { return !t.over() })
}

// take handles one event.
func (r *run) take(e event) error {
	switch {
	case e.report == nil:
		return r.ended(e.process)
	case e.report.Kind == proc.ReportCheckpoint:
		return r.promised(e)
	case e.report.Kind == proc.ReportSample:
		return r.takeSamples(e)
	}
	return nil
}

// ended handles the end of a process. One that the course ended may complain of others, unless
// it was to end by itself and in order.
func (r *run) ended(p *proc.Process) error {
	if r.course.down[p] && !r.course.tidy[p] {
		return nil
	}
	err := p.Wait()
	switch {
	case err != nil || r.course.down[p]:
		return err
	case slices.Contains(r.switches, p):
		return fmt.Errorf("switch %s ended in mid-run", p.Node())
	case slices.Contains(r.servers, p):
		return fmt.Errorf("server %s ended in mid-run", p.Node())
	case slices.Contains(r.flows, p):
		return fmt.Errorf("the flows of %s ended in mid-run", p.Node())
	}
	if t := r.tenantOf(p); t != nil {
		t.ended(p)
	}
	return r.left(p)
}

// takeSamples handles the samples of a worker.
func (r *run) takeSamples(e event) error {
	var samples []result.Sample
	if err := json.Unmarshal(e.report.Data, &samples); err != nil {
		return fmt.Errorf("reading the samples of %s: %w", e.process.Node(), err)
	}
	if r.opt.Beside != nil {
		if err := r.opt.Beside(r.lab); err != nil {
			return err
		}
		r.opt.Beside = nil
	}
	t := r.tenantOf(e.process)
	t.cell.Samples = append(t.cell.Samples, samples...)
	for _, s := range samples {
		t.reach(e.process, &s)
	}
	r.took(e.process)
	if r.opt.Progress != nil {
		r.opt.Progress(samples)
	}
	return nil
}
