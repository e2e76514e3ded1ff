package virtual

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// sampleEvery is the share of blocks that carry values in replays: enough to
// check sums in every iteration, few enough not to take the time.
const sampleEvery = 64

// network is a topology whose links all have one rate.
type network struct {
	topology string // as topo/gen names it
	hosts    int
	rate     units.Rate
	mtu      int         // zero means that of the topology
	loss     float64     // of each link, each way
	first    float64     // loss of the link of the first host alone, each way
	queue    units.Bytes // of each link, each way; zero leaves it to the link model
	extra    units.Duration
}

// plan lays the network out; links are as long as the constants say.
func (n network) plan(e *experiment.Env) (*plan.Plan, error) {
	link := topo.LinkSpec{Rate: n.rate, Delay: units.Microsecond.Scale(e.Constants.Get("link.delay")) + n.extra, Loss: n.loss, Queue: n.queue}
	g, err := gen.ByName(n.topology, gen.Params{Hosts: n.hosts, Link: link})
	if err != nil {
		return nil, err
	}
	if n.mtu != 0 {
		g.MTU = n.mtu
	}
	if n.first > 0 {
		lossy := &g.Links[0]
		lossy.AtoB.Loss, lossy.BtoA.Loss = n.first, n.first
	}
	return plan.New(g)
}

// replay returns a job that replays a model at full scale.
func replay(e *experiment.Env, sys job.System, n network, change func(*job.Spec)) (*job.Job, error) {
	p, err := n.plan(e)
	if err != nil {
		return nil, err
	}
	spec := job.Spec{
		System: sys, Plan: p, Scale: 1, Seed: e.Seed, Virtual: true,
		Replay: true, Sample: gradient.Sampling{Every: sampleEvery},
	}
	change(&spec)
	j, err := job.New(spec)
	if err != nil {
		return nil, fmt.Errorf("laying out %s on %s: %w", sys.Name(), n.topology, err)
	}
	return j, nil
}

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
	cells := make([][]result.Cell, len(chains))
	err := experiment.Parallel(len(chains), func(i int) (err error) {
		cells[i], err = runChain(ctx, chains[i])
		return err
	})
	return cells, err
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
		cell, err := known.RunJob(ctx, j, images, sim.Observer{})
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
