package harness

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/nodes/worker"
)

// Runner runs one job. The cell is valid beside an error, as far as the run
// came. progress is called with the samples of iterations that are over.
type Runner interface {
	RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error)
}

// Live runs jobs on real packets.
type Live struct{ Options live.Options }

// RunJob runs one job in a lab of its own.
func (l Live) RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error) {
	opt := l.Options
	opt.Progress = progress
	return live.RunJob(ctx, j, opt)
}

// Virtual runs jobs under the virtual clock.
type Virtual struct{ Images worker.Images }

// RunJob runs one job in this process.
func (v Virtual) RunJob(ctx context.Context, j *job.Job, progress func([]result.Sample)) (result.Cell, error) {
	return sim.RunJob(ctx, j, v.Images, progress)
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

// Experiment is a list of jobs to run.
type Experiment struct {
	Name string
	Jobs []*job.Job
}

// Run runs the jobs in order and returns the cell of each, the computed ideal
// first. It stops at the first that fails; what ran until then is returned
// beside the error, the failed cell without its verdicts left out.
func (e Experiment) Run(ctx context.Context, r Runner, o Observer) ([]result.Cell, error) {
	var cells []result.Cell
	for i, j := range e.Jobs {
		if i == 0 {
			cells = append(cells, j.IdealCell())
		}
		o.Began(i, len(e.Jobs), j)
		cell, err := r.RunJob(ctx, j, func(s []result.Sample) { o.Samples(j, s) })
		o.Ended(j, cell, err)
		if err != nil {
			return cells, fmt.Errorf("%s at p=%g%%: %w", j.System, 100*j.StraggleP, err)
		}
		cells = append(cells, cell)
	}
	return cells, nil
}
