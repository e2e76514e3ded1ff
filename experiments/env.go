package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
)

// Env is what an experiment may ask for. It is made for one run of one
// experiment, and notes what was asked.
type Env struct {
	Quick     bool
	Varied    bool // a constant is changed: what no result rests on may be left out
	Seed      rng.Root
	Constants *hostmodel.Constants
	Progress  func(text string) // what the experiment is at; may be nil

	readings claims.Readings
	taken    map[claims.ID]string // readings that were asked for
}

// Note says what the experiment is at.
func (e *Env) Note(format string, args ...any) {
	if e.Progress != nil {
		e.Progress(fmt.Sprintf(format, args...))
	}
}

// Reading returns the choice that holds for an ambiguity, and notes that the
// experiment depends on it. It panics on one that has no knob.
func (e *Env) Reading(ambiguity claims.ID) string {
	choice, err := e.readings.Choice(ambiguity)
	if err != nil {
		panic("experiments: " + err.Error())
	}
	e.taken[ambiguity] = choice
	return choice
}

// describe lists the readings taken: "trio.wake=skip, ...".
func (e *Env) describe() string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(e.taken)) {
		out = append(out, string(id)+"="+e.taken[id])
	}
	return strings.Join(out, ", ")
}

// assumed lists the names of the assumed constants that were asked for.
func (e *Env) assumed() (out []string) {
	for _, c := range e.Constants.Used() {
		if c.Assumed {
			out = append(out, c.Name)
		}
	}
	return out
}

// Cells runs jobs under the virtual clock, as many at a time as there are
// processors, and returns their cells in the order of the jobs. A wrong sum is
// an error.
func (e *Env) Cells(ctx context.Context, jobs ...*job.Job) ([]result.Cell, error) {
	var chains [][]*job.Job
	for _, j := range jobs {
		chains = append(chains, []*job.Job{j})
	}
	cells, err := e.Chains(ctx, chains)
	return slices.Concat(cells...), err
}

// Chains is [Env.Cells] for lists of jobs that differ in nothing but their
// schedules, so that one may charge the rounds that another simulated. The jobs
// of a list run one after the other.
func (e *Env) Chains(ctx context.Context, chains [][]*job.Job) ([][]result.Cell, error) {
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
