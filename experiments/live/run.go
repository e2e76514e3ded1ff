package live

import (
	"cmp"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Links of live runs, as in the scenario of stragglers: of the testbeds' rate, all
// else assumed. What is divided by the scale is given at full scale.
const (
	linkDelay  = units.Microsecond
	linkQueue  = 1600 * units.MiB          // divided by the scale
	fabricRate = 400 * units.GbitPerSecond // divided by the scale; between two PFEs
	jumbo      = 9000

	// countScale leaves links of 10 Mbit/s, for runs of which packets are counted and
	// no time is measured: any machine keeps up with them.
	countScale = 10_000
	// slowScale leaves links of 100 Mbit/s, for runs that send without a pause: 16 of
	// them are what two cores carry with time to spare.
	slowScale = 1000
	// slowPool is the pool of such runs where it matters: a round trip of this machine
	// takes some 0.7 ms, in which such a link carries 8 packets of 256 values.
	slowPool = 16
)

// liveRun is one run on real packets: a training, or, where elements is not zero,
// the all-reduce of an int32 tensor again and again, whose last sums are checked.
type liveRun struct {
	name       string // in progress and errors
	sys        job.System
	topology   string     // as topo/gen names it
	hosts      int        // with a worker; those of dedicated servers come on top
	idle       int        // hosts of nobody
	racks      int        // of multi-rack
	rate       units.Rate // of each host's link, before it is divided by the scale
	scale      int
	delay      units.Duration // of each link; zero: linkDelay
	mtu        int
	loss       float64          // of each host's link, each way
	uplinkLoss float64          // of each link between leaf and spine, each way
	slow       int              // not zero: the link of host h0 has one in so many parts of the rate
	iterations int              // warm-up included
	warmup     int              // iterations of a benchmark that do not count
	traced     bool             // nodes hand over their events
	links      func(*topo.Link) // last word on each link; may be nil

	elements int
	model    profiles.Profile
	batch    int // images of a step; zero is the default
	p        float64
	change   func(*job.Spec) // last word on the rest; may be nil
}

// untimed is a model to train of which no time is measured.
func untimed() profiles.Profile {
	p := testbed.Profile("resnet50")
	p.Compute = 15 * units.Millisecond
	return p
}

// job lays the run out.
func (r *liveRun) job(e *experiment.Env) (*job.Job, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	return r.jobOn(e, p)
}

// plan returns the run's topology.
func (r *liveRun) plan() (*plan.Plan, error) {
	params := gen.Params{Hosts: r.hosts + job.Servers(r.sys, r.hosts) + r.idle, MTU: r.mtu, Link: topo.LinkSpec{
		Rate: r.rate / units.Rate(r.scale), Delay: cmp.Or(r.delay, linkDelay), Loss: r.loss, Queue: linkQueue / units.Bytes(r.scale),
	}}
	switch r.topology {
	case "mx480", chassisBelowChassis:
		params.Fabric = topo.LinkSpec{Rate: fabricRate / units.Rate(r.scale), Delay: linkDelay}
		if r.topology == chassisBelowChassis {
			params.Uplink = params.Link
		}
	case "leaf-spine": // as fast as a host's, whatever is below
		params.Uplink = params.Link
		params.Uplink.Loss = r.uplinkLoss
	case "multi-rack":
		params.Racks, params.Uplink = r.racks, params.Link
		params.Uplink.Loss = r.uplinkLoss
	}
	g, err := gen.ByName(r.topology, params)
	if err != nil {
		return nil, err
	}
	r.throttle(g)
	for i := range g.Links {
		if r.links != nil {
			r.links(&g.Links[i])
		}
	}
	return plan.New(g)
}

// jobOn lays the run out on a topology that it may share.
func (r *liveRun) jobOn(e *experiment.Env, p *plan.Plan) (*job.Job, error) {
	spec := job.Spec{
		System: r.sys, Plan: p, Scale: r.scale, Iterations: r.iterations, Seed: e.Seed,
		Model: r.model, MiniBatch: r.batch, StraggleP: r.p, Elements: r.elements,
		Servers: job.Servers(r.sys, r.hosts),
	}
	if r.change != nil {
		r.change(&spec)
	}
	return job.New(spec)
}

// throttle makes the link of host h0 slower, where it is to be.
func (r *liveRun) throttle(g *topo.Graph) {
	for i := range g.Links {
		if l := &g.Links[i]; r.slow > 0 && (l.A.Node == firstHost || l.B.Node == firstHost) {
			l.AtoB.Rate /= units.Rate(r.slow)
			l.BtoA.Rate /= units.Rate(r.slow)
		}
	}
}

// firstHost is the host of worker 0 in every topology.
const firstHost = "h0"

// layTogether lays a job with an id from 1 on out for each change of the run, all on
// one topology.
func (r *liveRun) layTogether(e *experiment.Env, changes ...func(*job.Spec)) (*job.Set, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	var jobs []*job.Job
	for i, change := range changes {
		r.change = func(s *job.Spec) {
			s.ID = uint8(1 + i)
			change(s)
		}
		j, err := r.jobOn(e, p)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return job.NewSet(jobs...)
}

// each returns the time of an all-reduce of a benchmark, at the slowest worker.
func (r *liveRun) each(m *ran) units.Duration {
	return m.Elapsed / units.Duration(r.iterations-r.warmup)
}

// times returns the time of each all-reduce of a benchmark: from the one before, each when its last worker has it.
func (r *liveRun) times(m *ran) (out []units.Duration) {
	ends := make([]units.Time, r.iterations)
	for i := range m.Cell.Samples {
		s := &m.Cell.Samples[i]
		ends[s.Iteration] = max(ends[s.Iteration], s.End)
	}
	for i := max(1, r.warmup); i < len(ends); i++ {
		out = append(out, ends[i].Sub(ends[i-1]))
	}
	return out
}

// perSecond returns the elements that a benchmark aggregates in a second.
func (r *liveRun) perSecond(m *ran) float64 {
	return float64(r.elements) / r.each(m).Seconds()
}

// counted adds up the counters of a name at the nodes that keep lets through;
// nil is all of them.
func counted(c *result.Cell, name string, keep func(node string) bool) (n uint64) {
	for _, k := range c.Counters {
		if (k.Name == name || strings.HasSuffix(k.Name, "/"+name)) && (keep == nil || keep(k.Node)) {
			n += k.N
		}
	}
	return n
}

// at keeps one node.
func at(node string) func(string) bool { return func(n string) bool { return n == node } }
