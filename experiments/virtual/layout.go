package virtual

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
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
