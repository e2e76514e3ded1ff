package virtual

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/worker"
)

// runJobs runs jobs under the virtual clock, as many at a time as there are
// processors, and returns their cells in the order of the jobs. A wrong sum is
// an error.
func runJobs(ctx context.Context, jobs ...*job.Job) ([]result.Cell, error) {
	var chains [][]*job.Job
	for _, j := range jobs {
		chains = append(chains, []*job.Job{j})
	}
	cells, err := runChains(ctx, chains)
	return slices.Concat(cells...), err
}

// runChains is [runJobs] for lists of jobs that differ in nothing but their
// schedules, so that one may charge the rounds that another simulated. The jobs
// of a list run one after the other.
func runChains(ctx context.Context, chains [][]*job.Job) ([][]result.Cell, error) {
	cells, errs := make([][]result.Cell, len(chains)), make([]error, len(chains))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, chain := range chains {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			cells[i], errs[i] = runChain(ctx, chain)
		})
	}
	all.Wait()
	return cells, errors.Join(errs...)
}

func runChain(ctx context.Context, chain []*job.Job) (cells []result.Cell, err error) {
	var known sim.Patterns
	images, err := imagesFor(chain)
	if err != nil {
		return nil, err
	}
	for _, j := range chain {
		if err := ctx.Err(); err != nil {
			return cells, err
		}
		cell, err := known.RunJob(ctx, j, images, nil)
		switch what := fmt.Sprintf("%s, %s, p=%g", j.System.Name(), j.Model.Name, j.StraggleP); {
		case err != nil:
			return cells, fmt.Errorf("%s: %w", what, err)
		case cell.Wrong > 0 || cell.Checked == 0:
			return cells, fmt.Errorf("%s: %d of %d sums are wrong: %s", what, cell.Wrong, cell.Checked, strings.Join(cell.Notes, "; "))
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// imagesFor loads the images if a job trains on them.
func imagesFor(chain []*job.Job) (worker.Images, error) {
	trains := func(j *job.Job) bool { return !j.Replay && j.Elements == 0 }
	if !slices.ContainsFunc(chain, trains) {
		return worker.Images{}, nil
	}
	return worker.LoadImages()
}
