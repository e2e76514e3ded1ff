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

// Ahead is a [Runner] that does runs on several cores before their turn comes. It hands over
// the samples of each at its turn, as they arrive from then on, and then its events: what comes
// out is what one core gives.
type Ahead struct {
	runner  Virtual
	feeds   map[*job.Set]*feed // looked up
	end     context.CancelFunc
	workers sync.WaitGroup
}

// NewAhead begins with runs, which differ, in their order on so many cores. [Ahead.Close]
// must follow.
func NewAhead(ctx context.Context, runner Virtual, sets []*job.Set, cores int) *Ahead {
	a := &Ahead{runner: runner, feeds: map[*job.Set]*feed{}}
	ctx, a.end = context.WithCancel(ctx)
	next := make(chan *job.Set, len(sets))
	for _, s := range sets {
		a.feeds[s] = newFeed()
		next <- s
	}
	close(next)
	for range min(cores, len(sets)) {
		a.workers.Go(func() {
			for s := range next {
				a.run(ctx, s, a.feeds[s])
			}
		})
	}
	return a
}

// run runs the jobs of a lab, unless all were ended, and fills their feed.
func (a *Ahead) run(ctx context.Context, s *job.Set, f *feed) {
	o := outcome{err: context.Cause(ctx)}
	for _, j := range s.Jobs {
		o.cells = append(o.cells, j.Cell())
	}
	if o.err == nil {
		r := a.runner
		r.Events.Take = func(rec events.Record) error {
			o.records = append(o.records, rec)
			return nil
		}
		o.cells, o.err = r.RunSet(ctx, s, f.add)
	}
	f.finish(o)
}

// RunSet waits for a run of the list and hands over what it says, once. The context that ends
// the runs is that of [NewAhead].
func (a *Ahead) RunSet(_ context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	o := a.feeds[s].drain(progress)
	for _, rec := range o.records {
		o.err = errors.Join(o.err, a.runner.Events.Take(rec))
	}
	return o.cells, o.err
}

// Close ends what still runs.
func (a *Ahead) Close() {
	a.end()
	a.workers.Wait()
}

// outcome is what a run came to.
type outcome struct {
	cells   []result.Cell
	records []events.Record
	err     error
}

// feed is what a run says, until it is asked for.
type feed struct {
	mu      sync.Mutex // guards what follows
	more    *sync.Cond
	samples []result.Sample
	outcome *outcome // nil: the run goes on
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

// drain hands over samples until the run is over.
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
