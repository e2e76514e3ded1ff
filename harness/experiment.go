package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Runner runs one job. The cell is valid beside an error, as far as the run
// came. progress is called with the samples of iterations that are over.
type Runner interface {
	RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error)
}

// Live runs jobs on real packets.
type Live struct {
	Options live.Options
	Events  Events
}

// RunJob runs one job in a lab of its own.
func (l Live) RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error) {
	opt := l.Options
	opt.Progress = progress
	var logs []*trace.Log
	if l.Events.wanted() {
		opt.Events = func(of []*trace.Log) { logs = of }
	}
	cell, err := live.RunJob(ctx, j, opt)
	return cell, errors.Join(err, l.Events.record(j, logs, err))
}

// Virtual runs jobs under the virtual clock.
type Virtual struct {
	Images worker.Images
	Events Events
}

// RunJob runs one job in this process.
func (v Virtual) RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error) {
	o := sim.Observer{Progress: progress}
	if v.Events.wanted() {
		o.Log = trace.NewLog(events.RunLimit)
	}
	cell, err := new(sim.Patterns).RunJob(ctx, j, v.Images, o)
	return cell, errors.Join(err, v.Events.record(j, []*trace.Log{o.Log}, err))
}

// Events says which events of each job are kept, and who takes them. The zero
// value keeps none.
type Events struct {
	Want events.Want
	Take func(events.Record) error // needed where Want is not zero
}

func (e Events) wanted() bool { return e.Want.Mode != events.None }

// record hands over what is wanted of the logs of a run, also of one that ended
// with an error.
func (e Events) record(j *job.Job, logs []*trace.Log, runErr error) error {
	if !e.wanted() || len(logs) == 0 {
		return nil
	}
	if err := e.Take(events.New(j, e.Want, logs, runErr)); err != nil {
		return fmt.Errorf("recording the events of %s: %w", j.System.Name(), err)
	}
	return nil
}

// Observer is told how an experiment goes on.
type Observer interface {
	// Began says that job i of n starts.
	Began(i, n int, j *job.Job)
	// Samples says that iterations are over.
	Samples(j *job.Job, s []result.Sample)
	// Ended hands the result of a job over; err is why it ended early.
	Ended(j *job.Job, cell result.Cell, err error)
}

// Experiment is a list of jobs to run. Jobs of one seed stand together, and of these the
// jobs of one point of a sweep.
type Experiment struct {
	Name string
	Jobs []*job.Job
}

// Run runs the jobs in order and returns the cell of each, those of a seed
// and a point of the sweep behind the ideal that is computed from them. It stops at the first job that
// fails, and returns what there is beside the error: the cells until then, and
// that of the failed job if any of its iterations ended.
func (e Experiment) Run(ctx context.Context, r Runner, o Observer) ([]result.Cell, error) {
	var cells []result.Cell
	first := 0 // index in cells of the first of the seed and point
	for i, j := range e.Jobs {
		cell, err := e.run(ctx, i, r, o)
		if err == nil || len(cell.Samples) > 0 {
			cells = append(cells, cell)
		}
		last := i+1 == len(e.Jobs) || e.Jobs[i+1].Seed != j.Seed || e.Jobs[i+1].Point.Index != j.Point.Index
		if (last || err != nil) && first < len(cells) {
			cells = slices.Insert(cells, first, ideal(j, cells[first:]))
			first = len(cells)
		}
		if err != nil {
			return cells, fmt.Errorf("%s at %s: %w", j.System.Name(), cell.At(), err)
		}
	}
	return cells, nil
}

// run runs job i.
func (e Experiment) run(ctx context.Context, i int, r Runner, o Observer) (result.Cell, error) {
	j := e.Jobs[i]
	o.Began(i, len(e.Jobs), j)
	cell, err := r.RunJob(ctx, j, func(s []result.Sample) { o.Samples(j, s) })
	if err != nil {
		cell.Notes = append(slices.Clone(cell.Notes), "the run ended with an error")
	}
	o.Ended(j, cell, err)
	return cell, err
}

// ideal returns the computed row of one seed. Where the compute time of its runs
// was measured, it takes the place of the nominal one.
func ideal(j *job.Job, cells []result.Cell) result.Cell {
	c := j.IdealCell()
	if measured := leastDisturbed(cells); measured > 0 {
		c.Computed = j.Ideal() - j.Model.Compute + measured
	}
	return c
}

// leastDisturbed returns the mean compute time of the cells with the smallest
// straggle probability of all that know theirs; 0 where none does.
func leastDisturbed(cells []result.Cell) units.Duration {
	var sum units.Duration
	var n int
	var p float64
	for _, c := range cells {
		switch {
		case c.Compute == 0 || n > 0 && c.StraggleP > p:
			continue
		case n == 0 || c.StraggleP < p:
			sum, n, p = 0, 0, c.StraggleP
		}
		sum, n = sum+c.Compute, n+1
	}
	return sum / units.Duration(max(1, n))
}
