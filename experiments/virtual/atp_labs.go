package virtual

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// tenantLab is jobs beside each other on one topology at 100 Gbit/s.
type tenantLab struct {
	topology string // empty: a rack
	racks    int    // of a multi-rack
	hosts    int
	marks    int            // packets of a switch's queue above which it marks (ATP §3.7); zero: never
	queue    int            // packets that a link holds; zero: more than windows let in
	whole    bool           // packets carry all values
	inside   units.Duration // from port to port of a switch
	jobs     []tenantJob
	first    func(*job.Spec) // changes the first job; may be nil
	oracle   bool            // on the reference program, whatever the chip has room for
	ran      string          // what aggregated in switches, of a lab that was simulated
}

// tenantJob is one of them.
type tenantJob struct {
	sys        job.System
	id         uint8
	on, server []int
	model      string
	cut        int // of the model's size and compute time; zero means 1
	mib        int // not zero: a tensor of this size and nothing to compute, in place of a model
	elements   int // not zero: an int32 tensor of so many, in place of both
	iterations int
	times      worker.Times
}

// plan lays the lab's topology out.
func (l *tenantLab) plan(e *experiment.Env) (*plan.Plan, error) {
	link := topo.LinkSpec{Rate: testbed.Gigabit100, Delay: units.Microsecond.Scale(e.Constants.Get("link.delay")) + l.inside/2, Queue: portQueue}
	if l.queue > 0 {
		link.Queue = units.Bytes(l.queue * testbed.ATPFrame)
	}
	if l.marks > 0 {
		link.Marking = topo.Marking{Min: units.Bytes(l.marks * testbed.ATPFrame), Max: units.Bytes(l.marks * testbed.ATPFrame)}
	}
	topology := l.topology
	if topology == "" {
		topology = "rack"
	}
	g, err := gen.ByName(topology, gen.Params{Hosts: l.hosts, Racks: l.racks, Link: link, Uplink: link})
	if err != nil {
		return nil, err
	}
	g.MTU = testbed.MTU
	unmarkHosts(g)
	return plan.New(g)
}

// unmarkHosts takes marks from the ways of a graph that begin at a host: switches mark (ATP §3.7). There is a
// queue there only because a machine sends at no rate; that of a switch is of packets that came by several ports.
func unmarkHosts(g *topo.Graph) {
	host := func(node string) bool {
		return slices.ContainsFunc(g.Nodes, func(n topo.Node) bool { return n.Name == node && n.Kind == topo.Host })
	}
	for i := range g.Links {
		k := &g.Links[i]
		if host(k.A.Node) {
			k.AtoB.Marking = topo.Marking{}
		}
		if host(k.B.Node) {
			k.BtoA.Marking = topo.Marking{}
		}
	}
}

// set lays the jobs out.
func (l *tenantLab) set(e *experiment.Env) (*job.Set, error) {
	p, err := l.plan(e)
	if err != nil {
		return nil, err
	}
	var jobs []*job.Job
	for i := range l.jobs {
		t := &l.jobs[i]
		spec := job.Spec{
			System: t.sys, Plan: p, Scale: 1, Seed: e.Seed, Virtual: true, Replay: true, Sample: gradient.Sampling{Every: sampleEvery},
			Model: t.profile(e), Iterations: t.iterations, ID: t.id, On: t.on, ServersOn: t.server, Servers: len(t.server), Times: t.times,
			Name: fmt.Sprintf("job-%d", t.id), Host: hostOf(e, t.sys),
		}
		if t.elements > 0 {
			spec.Replay, spec.Elements, spec.Sample = false, t.elements, gradient.Sampling{}
		}
		if l.whole && spec.Replay {
			spec.Sample.Every = 1
		}
		if i == 0 && l.first != nil {
			l.first(&spec)
		}
		j, err := job.New(spec)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return job.NewSet(jobs...)
}

// profile is the job's model, cut.
func (t *tenantJob) profile(e *experiment.Env) profiles.Profile {
	if t.mib > 0 {
		return profiles.Profile{Name: fmt.Sprintf("%d MiB", t.mib), SizeMiB: t.mib}
	}
	model, _ := testbed.ATPModel(e, t.model)
	if t.cut > 1 {
		size := max(1, model.SizeMiB/t.cut)
		model.SizeMiB, model.Compute = size, model.Compute.Scale(float64(size)/float64(model.SizeMiB))
	}
	return model
}

// cellsOfATP are those of a packet in the buffer of a chip.
const cellsOfATP = (testbed.ATPFrame + tofino.CellBytes - 1) / tofino.CellBytes

// onChip has ATP run on the emulated Tofino, whose passes, ports inside and queues take time, and packets of all else
// take one pass. What waits for the port inside is marked as in the switch's other queues. A lab whose switches have more ports than a pipe has stays as it is: on the reference program, in
// switches that take no time.
func (l *tenantLab) onChip(e *experiment.Env) error {
	p, err := l.plan(e)
	if err != nil {
		return err
	}
	if l.oracle || slices.ContainsFunc(p.Switches, func(s plan.Switch) bool { return len(s.Ports) > pipeline.MaxPorts }) {
		return nil
	}
	l.inside = cmp.Or(l.inside, testbed.SwitchTime(e))
	pipe := testbed.TimedATP(e)
	pipe.Mark = l.marks * cellsOfATP
	for i := range l.jobs {
		l.jobs[i].sys = onPipe(l.jobs[i].sys, pipe)
	}
	return nil
}

// insideNote says what a chip of one port inside does to several jobs.
const insideNote = "Switch: the pipeline is ATP on the emulated Tofino. Sums, collisions and resends of all jobs take their second pass by the one port inside (ATP App C), of 100 Gbit/s: 36.5 million packets a second."

// portsNote says why a lab stays on the reference program.
func portsNote() string {
	return fmt.Sprintf("Switch: the hosts are more than the %d ports that one pipe of the emulated Tofino has for jobs.", pipeline.MaxPorts)
}

// together simulates labs on the chip, as many at a time as there are processors, notes in each what aggregated,
// and returns their cells.
func together(ctx context.Context, e *experiment.Env, labs []tenantLab) ([][]result.Cell, error) {
	for i := range labs {
		if err := labs[i].onChip(e); err != nil {
			return nil, err
		}
	}
	return simulateLabs(ctx, e, labs)
}

// simulateLabs is the same on what the systems of labs ask for.
func simulateLabs(ctx context.Context, e *experiment.Env, labs []tenantLab) ([][]result.Cell, error) {
	cells := make([][]result.Cell, len(labs))
	sets := make([]*job.Set, len(labs))
	for i := range labs { // here, since an Env is for one goroutine
		var err error
		if sets[i], err = labs[i].set(e); err != nil {
			return nil, err
		}
	}
	err := experiment.Parallel(len(labs), func(i int) (err error) {
		if cells[i], err = runSet(ctx, sets[i]); err != nil {
			return err
		}
		labs[i].ran, err = testbed.RanOn(labs[i].jobs[0].sys, &cells[i][0])
		return err
	})
	return cells, err
}

// runSet simulates jobs that share a lab. A wrong sum is an error.
func runSet(ctx context.Context, set *job.Set) ([]result.Cell, error) {
	cells, err := sim.RunJobs(ctx, set, worker.Images{}, sim.Observer{})
	if err != nil {
		return nil, err
	}
	for i := range cells {
		if c := &cells[i]; c.Wrong > 0 || c.Checked == 0 && c.Ended == nil {
			return nil, fmt.Errorf("%s: %d of %d sums are wrong: %s", c.Job, c.Wrong, c.Checked, strings.Join(c.Notes, "; "))
		}
	}
	return cells, nil
}

// atpTenant is ATP with a table of so many aggregators, in the readings taken. Its packets in flight
// span no more than its own share of a table that is large enough for all, as the public client has
// it; zero leaves that to the system. Lines are the bottleneck, not copies in servers.
func atpTenant(e *experiment.Env, aggregators, span int) atp.System {
	s := testbed.ATP(e)
	s.Aggregators, s.Span, s.Unscaled, s.Copy = aggregators, span, true, 0
	if e.Reading("atp.hash") == "number" {
		s.Indexing = host.ByNumber
	}
	return s
}

// copyingTenant is ATP with a table that has room for all, and servers that copy as fast as the paper's.
func copyingTenant(e *experiment.Env) atp.System {
	s := atpTenant(e, atp.DefaultAggregators, 0)
	s.Copy = testbed.ATP(e).Copy
	return s
}

// staticTenant is ATP with parts of the table that jobs keep to themselves.
func staticTenant(e *experiment.Env, aggregators, parts int) atp.System {
	s := atpTenant(e, aggregators, 0)
	s.Indexing, s.Parts = host.Static, parts
	return s
}

// hostOf is a host of a job: RDMA's for all but ATP.
func hostOf(e *experiment.Env, sys job.System) hostmodel.Model {
	if _, ok := sys.(atp.System); ok {
		return tenantHost(e)
	}
	return e.Constants.RDMA()
}

// tenantHost is a host of ATP's testbed whose packets cost no time, so that lines limit jobs, as in
// §5.4.1.
func tenantHost(e *experiment.Env) hostmodel.Model {
	h := testbed.ATPHost(e)
	h.Frame = 0
	return h
}

// threshold is the queue above which switches mark.
func threshold(e *experiment.Env) int { return int(e.Constants.Get("atp.ecn-threshold")) }

// warm is the mean time of the iterations of a job behind its first.
func warm(c *result.Cell) units.Duration {
	var sum units.Duration
	n := 0
	for _, s := range c.Samples {
		if s.Iteration > 0 {
			sum, n = sum+s.End.Sub(s.Start), n+1
		}
	}
	return sum / units.Duration(max(1, n))
}

// warmMean is that of all jobs of a lab.
func warmMean(cells []result.Cell) units.Duration {
	var sum units.Duration
	for i := range cells {
		sum += warm(&cells[i])
	}
	return sum / units.Duration(len(cells))
}

// summed adds up a counter of all nodes.
func summed(c *result.Cell, name string) (n uint64) {
	for _, k := range c.Counters {
		if k.Name == name {
			n += k.N
		}
	}
	return n
}

// endingIn adds up a counter of switches, without those of single jobs.
func endingIn(c *result.Cell, name string) (n uint64) {
	for _, k := range c.Counters {
		if strings.HasSuffix(k.Name, name) && !strings.Contains(k.Name, "atp/") {
			n += k.N
		}
	}
	return n
}
