package harness

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
)

// Ahead is a [Runner] that runs jobs on several cores before their turn comes. It hands over
// the samples of each at its turn, as they arrive from then on, and then its events: what comes
// out is what one core gives.
type Ahead struct {
	runner  Virtual
	feeds   map[*job.Job]*feed // looked up
	end     context.CancelFunc
	workers sync.WaitGroup
}

// NewAhead begins to run jobs, which differ, in their order on so many cores. [Ahead.Close]
// must follow.
func NewAhead(ctx context.Context, runner Virtual, jobs []*job.Job, cores int) *Ahead {
	a := &Ahead{runner: runner, feeds: map[*job.Job]*feed{}}
	ctx, a.end = context.WithCancel(ctx)
	next := make(chan *job.Job, len(jobs))
	for _, j := range jobs {
		a.feeds[j] = newFeed()
		next <- j
	}
	close(next)
	for range min(cores, len(jobs)) {
		a.workers.Go(func() {
			for j := range next {
				a.run(ctx, j, a.feeds[j])
			}
		})
	}
	return a
}

// run runs a job, unless the jobs were ended, and fills its feed.
func (a *Ahead) run(ctx context.Context, j *job.Job, f *feed) {
	o := outcome{cell: j.Cell(), err: context.Cause(ctx)}
	if o.err == nil {
		r := a.runner
		r.Events.Take = func(rec events.Record) error {
			o.records = append(o.records, rec)
			return nil
		}
		o.cell, o.err = r.RunJob(ctx, j, f.add)
	}
	f.finish(o)
}

// RunJob waits for a job of the list and hands over what it says, once. The context that ends
// the jobs is that of [NewAhead].
func (a *Ahead) RunJob(_ context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error) {
	o := a.feeds[j].drain(progress)
	for _, rec := range o.records {
		o.err = errors.Join(o.err, a.runner.Events.Take(rec))
	}
	return o.cell, o.err
}

// Close ends what still runs.
func (a *Ahead) Close() {
	a.end()
	a.workers.Wait()
}

// outcome is what a job came to.
type outcome struct {
	cell    result.Cell
	records []events.Record
	err     error
}

// feed is what a job says, until it is asked for.
type feed struct {
	mu      sync.Mutex // guards what follows
	more    *sync.Cond
	samples []result.Sample
	outcome *outcome // nil: the job goes on
}

func newFeed() *feed {
	f := &feed{}
	f.more = sync.NewCond(&f.mu)
	return f
}

func (f *feed) add(s []result.Sample) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.samples = append(f.samples, s...)
	f.more.Signal()
}

func (f *feed) finish(o outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcome = &o
	f.more.Signal()
}

// drain hands over samples until the job is over.
func (f *feed) drain(progress func([]result.Sample)) outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		for len(f.samples) == 0 && f.outcome == nil {
			f.more.Wait()
		}
		if len(f.samples) == 0 {
			return *f.outcome
		}
		samples := slices.Clone(f.samples)
		f.samples = f.samples[:0]
		f.mu.Unlock()
		progress(samples)
		f.mu.Lock()
	}
}
