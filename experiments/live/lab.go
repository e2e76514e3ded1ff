package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// All returns the experiments on real packets, the short ones first.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		flatAndTree(), overRacks(), twoTrioJobs(), twoSwitchMLJobs(), volume(), selfClocking(), packetLatency(), packetRates(), dedicatedServers(), spuriousRetransmits(), exactSums(), underLoss(), modelSpeedups(), underStragglers(),
	}
}

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
	rate       units.Rate // of each host's link, before it is divided by the scale
	scale      int
	delay      units.Duration // of each link; zero: linkDelay
	mtu        int
	loss       float64 // of each host's link, each way
	uplinkLoss float64 // of each link between leaf and spine, each way
	slow       int     // not zero: the link of host h0 has one in so many parts of the rate
	iterations int     // warm-up included
	warmup     int     // iterations of a benchmark that do not count
	traced     bool    // nodes hand over their events

	elements int
	model    profiles.Profile
	batch    int // images of a step; zero is the default
	p        float64
	change   func(*job.Spec) // last word on the rest; may be nil
}

// untimed is a model to train of which no time is measured.
func untimed() (profiles.Profile, error) {
	p, err := profiles.Lookup("resnet50")
	p.Compute = 15 * units.Millisecond
	return p, err
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
	params := gen.Params{Hosts: r.hosts + job.Servers(r.sys, r.hosts), MTU: r.mtu, Link: topo.LinkSpec{
		Rate: r.rate / units.Rate(r.scale), Delay: cmp.Or(r.delay, linkDelay), Loss: r.loss, Queue: linkQueue / units.Bytes(r.scale),
	}}
	switch r.topology {
	case "mx480":
		params.Fabric = topo.LinkSpec{Rate: fabricRate / units.Rate(r.scale), Delay: linkDelay}
	case "leaf-spine": // as fast as a host's, whatever is below
		params.Uplink = params.Link
		params.Uplink.Loss = r.uplinkLoss
	}
	g, err := gen.ByName(r.topology, params)
	if err != nil {
		return nil, err
	}
	r.throttle(g)
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

// ran is what came of a live run.
type ran struct {
	live.Measured
	logs []*trace.Log // of the nodes, switches first, of a run that is traced
}

// lab carries live runs out, one after the other, each in namespaces of its own,
// and remembers what must be told of them.
type lab struct {
	env *experiment.Env
	// lenient takes runs as well whose times cannot be believed. Of tests: counts do
	// not depend on how busy a machine is.
	lenient bool

	runs   int
	doubts []string // why runs are less than trusted, one each
}

// onLab makes the Run of a live experiment.
func onLab(run func(context.Context, *lab) (experiment.Findings, error)) func(context.Context, *experiment.Env) (experiment.Findings, error) {
	return func(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
		return run(ctx, &lab{env: e})
	}
}

// ErrBusy is wrapped where this machine was too busy for a run.
var ErrBusy = errors.New("the machine was too busy to believe the times")

// pauses come before each try of a run, as long as its times cannot be believed: what
// keeps a machine busy often comes in bursts of seconds. Whether they can be believed lies
// with this machine's timers alone, not with what the run has measured. (assumed)
var pauses = []time.Duration{0, 2 * time.Second, 10 * time.Second, 20 * time.Second}

// pause waits, or returns why not to.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// run carries a run out. Wrong sums are not an error here: see [lab.right].
func (l *lab) run(ctx context.Context, r liveRun) (out ran, err error) {
	err = l.believed(ctx, r.name, r.hosts, func() (result.Fidelity, error) {
		out, err = l.once(ctx, r)
		return out.Cell.Fidelity, err
	})
	return out, err
}

// believed carries a run of so many workers out, again where its times cannot be
// believed.
func (l *lab) believed(ctx context.Context, name string, workers int, run func() (result.Fidelity, error)) error {
	var last result.Fidelity
	for _, d := range pauses {
		if err := pause(ctx, d); err != nil {
			return err
		}
		l.env.Note("%s, %d workers", name, workers)
		var err error
		if last, err = run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if last.Verdict == result.Invalid && !l.lenient {
			l.env.Note("%s: %s; once more", name, strings.Join(last.Reasons, "; "))
			continue
		}
		if last.Verdict != result.Trusted {
			l.doubts = append(l.doubts, fmt.Sprintf("%s (%s)", last.Reasons[0], name))
		}
		l.runs++
		return nil
	}
	return fmt.Errorf("%s: %w, %d times: %s", name, ErrBusy, len(pauses), strings.Join(last.Reasons, "; "))
}

// once carries a run out once.
func (l *lab) once(ctx context.Context, r liveRun) (out ran, err error) {
	j, err := r.job(l.env)
	if err != nil {
		return out, err
	}
	traced := 0
	if r.traced {
		traced = len(j.Plan.Switches) + len(j.Hosts())
	}
	out.logs, err = inLab(ctx, traced, func(opt live.Options) error {
		out.Measured, err = live.Bench(ctx, j, r.warmup, opt)
		return err
	})
	return out, err
}

// inLab gives a run a lab of its own, and returns the events of so many nodes; zero
// asks for none.
func inLab(ctx context.Context, traced int, run func(live.Options) error) (events []*trace.Log, err error) {
	err = live.WithLogs(ctx, "live", func(dir string) error {
		opt := live.Options{Lab: netns.NewLabName(), Logs: dir, Owner: journal.CurrentCaller()}
		if traced > 0 {
			opt.Events = func(logs []*trace.Log) { events = logs }
		}
		if err := run(opt); err != nil || traced == 0 {
			return err
		}
		return complete(events, traced)
	})
	return events, err
}

// shared is what came of jobs in one run.
type shared struct {
	set   *job.Set
	cells []result.Cell
	seen  *check.Tenants
}

// together carries jobs out at the same time on one switch. beside is told of the lab,
// when all are running; it may be nil.
func (l *lab) together(ctx context.Context, name string, set *job.Set, beside func(*netns.Lab) error) (s shared, err error) {
	s.set = set
	workers := 0
	for _, j := range set.Jobs {
		workers += len(j.Hosts())
	}
	err = l.believed(ctx, name, workers, func() (result.Fidelity, error) {
		logs, err := inLab(ctx, 1+workers, func(opt live.Options) (err error) {
			opt.Beside = beside
			s.cells, err = live.RunJobs(ctx, set, opt)
			return err
		})
		if err != nil {
			return result.Fidelity{}, err
		}
		s.seen = check.NewTenants(set)
		for e := range trace.Merged(logs) {
			s.seen.Event(&e)
		}
		return s.cells[1].Fidelity, nil
	})
	return s, err
}

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

// complete refuses a trace that lacks a node or events.
func complete(logs []*trace.Log, want int) error {
	if len(logs) != want {
		return fmt.Errorf("events of %d nodes, %d are there", want, len(logs))
	}
	for _, l := range logs {
		if n := l.Lost(); n > 0 {
			return fmt.Errorf("a node had no room for %d of its %d events: fewer iterations are needed", n, n+uint64(l.Len()))
		}
	}
	return nil
}

// right carries runs out, of which each sum must be right.
func (l *lab) right(ctx context.Context, runs ...liveRun) ([]ran, error) {
	var out []ran
	for i := range runs {
		m, err := l.run(ctx, runs[i])
		if err != nil {
			return nil, err
		}
		if c := &m.Cell; c.Wrong > 0 || c.Checked == 0 {
			return nil, fmt.Errorf("%s: %d of %d sums are wrong: %s", runs[i].name, c.Wrong, c.Checked, strings.Join(c.Notes, "; "))
		}
		out = append(out, m)
	}
	return out, nil
}

// say adds to a measured value which runs it is of, and how far they are to be
// believed.
func (l *lab) say(m claims.Measured, scale int, what string) claims.Measured {
	m.Model = fmt.Sprintf("live, scaled 1/%d; %s", scale, what)
	if n := len(l.doubts); n > 0 {
		doubt := fmt.Sprintf("%d of %d runs busy: %s", n, l.runs, l.doubts[0])
		if n > 1 {
			doubt += ", and others"
		}
		m.Note = strings.TrimPrefix(m.Note+"; "+doubt, "; ")
	}
	return m
}

// tcpOf says which congestion control the ring's connections have, which decides
// what a loss costs them.
func tcpOf() string {
	name, err := tcp.Congestion()
	if err != nil {
		return "ring over this kernel's TCP"
	}
	return fmt.Sprintf("ring over this kernel's TCP (%s)", name)
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

// each returns the time of an all-reduce of a benchmark, at the slowest worker.
func (r *liveRun) each(m *ran) units.Duration {
	return m.Elapsed / units.Duration(r.iterations-r.warmup)
}

// perSecond returns the elements that a benchmark aggregates in a second.
func (r *liveRun) perSecond(m *ran) float64 {
	return float64(r.elements) / r.each(m).Seconds()
}
