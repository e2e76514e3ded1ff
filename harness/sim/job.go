package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/fidelity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/worker"
)

// Progress is called with the samples of iterations that are over.
type Progress func([]result.Sample)

// Bounds of the virtual time of a run, in times of what it should take. Where
// frames are lost, or others fill the links, TCP waits for timeouts that are longer than
// all the rest. Where links change, it should take what it would without that.
const (
	patience      = 20
	lossyPatience = 1000
	// leastLimit is the least that counts as endless (assumed: several timeouts of TCP in a row, which are
	// long beside an all-reduce of a short tensor).
	leastLimit = 10 * units.Second
)

func patienceFor(s *job.Set) int {
	streams := func(j *job.Job) bool { return j.Layout.Peers != nil }
	if chance(s.Plan()) || len(s.Flows()) > 0 || !s.Steady() || s.Uneven() || len(s.Jobs) > 1 && slices.ContainsFunc(s.Jobs, streams) {
		return lossyPatience
	}
	return patience
}

// RunJob runs a job under the virtual clock and checks every delivered sum.
func RunJob(ctx context.Context, j *job.Job, images worker.Images, progress Progress) (result.Cell, error) {
	return new(Patterns).RunJob(ctx, j, images, Observer{Progress: progress})
}

// RunJob is [RunJob] for one of several jobs that differ in nothing but their
// schedules: the patterns of rounds that one of them simulated are charged in
// the others. The jobs run one after the other.
func (p *Patterns) RunJob(ctx context.Context, j *job.Job, images worker.Images, o Observer) (result.Cell, error) {
	cells, err := p.runSet(ctx, job.Alone(j), images, o)
	return cells[0], err
}

// RunJobs runs jobs that share a lab under the virtual clock, and checks every
// delivered sum of each. It returns a cell for each job, in their order; what
// switches counted, and the work of the run, is in every one, of all jobs
// together. All rounds are simulated packet by packet.
func RunJobs(ctx context.Context, s *job.Set, images worker.Images, o Observer) ([]result.Cell, error) {
	return new(Patterns).runSet(ctx, s, images, o)
}

func (p *Patterns) runSet(ctx context.Context, s *job.Set, images worker.Images, o Observer) ([]result.Cell, error) {
	run, err := newRun(s, images, o)
	if err != nil {
		return run.cells(), err
	}
	watch := newWatch(run)
	charges := run.charges(p)
	err = run.net.Run(ctx, Options{
		Until: run.limit(),
		Done:  watch.done,
		OnSamples: func(from NodeID, s []result.Sample) {
			cell := &run.owner[from].cell
			cell.Samples = append(cell.Samples, s...)
			charges.samples(s)
			if o.Progress != nil {
				o.Progress(s)
			}
		},
		Between: charges.endInstant,
		Watch:   o.Watch,
	})
	if err = errors.Join(watch.explain(ctx, err), run.err); err != nil {
		run.gather(charges.count())
		if ctx.Err() == nil {
			err = job.WithFaults(err, run.tenants[0].cell.Transit)
		}
		return run.cells(), fmt.Errorf("running %s under the virtual clock: %w", s.Name(), err)
	}
	run.gather(charges.count())
	for _, t := range run.tenants {
		t.cell.Fidelity = result.Fidelity{Verdict: result.Exact}
		fidelity.Hold(s, t.job, &t.cell)
		err = errors.Join(err, t.judge())
	}
	return run.cells(), err
}

// charges returns what charges rounds that are known already, or nil: several
// jobs are in each other's way at the switch, and links change, so that no round is like
// another. Nor are rounds charged of a job that pauses, and one that is charged has no packets,
// which a series or a capture would miss.
func (r *run) charges(known *Patterns) *rounds {
	t := r.tenants[0]
	steady := r.set.Steady() && r.director == nil && t.job.Times == (worker.Times{})
	if len(r.tenants) > 1 || t.job.Exact || r.shared || !steady || r.interval > 0 || r.tapped {
		return nil
	}
	out := newRounds(r, t.job.Plan, known)
	if out != nil {
		out.skipped = t.sums.Skip
	}
	return out
}

// limit returns the virtual time at which a run counts as endless; zero is never.
func (r *run) limit() (latest units.Time) {
	for _, t := range r.tenants {
		if t.cell.Expected == 0 {
			return 0
		}
		latest = max(latest, units.Time(leastLimit), units.Time(t.job.Longest(patienceFor(r.set), t.cell.Expected)))
	}
	return latest + r.set.Settled()
}

// gather adds to the cells what the run came to, also one that failed.
func (r *run) gather(charged int) {
	for _, t := range r.tenants {
		r.finish(t, charged)
	}
	r.recordSeries(r.set)
}

// finish adds to the cell of a job what its run came to.
func (r *run) finish(t *tenant, charged int) {
	cell := &t.cell
	slices.SortFunc(cell.Samples, byEnd)
	r.count(t)
	cell.Work.Steps, cell.Work.Events, cell.Work.Charged = r.net.steps, r.net.events, charged
	cell.Work.Rounds, cell.Work.Sample = t.job.Iterations-charged, max(1, t.job.Sample.Every)
	cell.Tallies, cell.Depth = t.job.Tallies(cell.Counters), r.set.Depth(t.job, cell.Links)
	if t == r.tenants[0] {
		cell.Flows = r.flowRecords()
		cell.Collected = len(r.collectors) > 0
		cell.Transit, cell.Reports = r.set.TransitCounts(cell.Counters), r.reports()
	}
}

// byEnd is the order of samples: a charged round may end its workers of one
// instant in another order than a simulated one.
func byEnd(a, b result.Sample) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Worker, b.Worker))
}

// judge adds what the checks of the sums came to.
func (t *tenant) judge() error {
	cell := &t.cell
	if _, ok := t.workers[0].Job.(*worker.Bench); ok {
		for _, w := range t.workers {
			checked, wrong := w.Job.(*worker.Bench).Verified()
			cell.Checked, cell.Wrong = cell.Checked+checked, cell.Wrong+wrong
		}
		return nil
	}
	verdict, err := t.sums.Result()
	cell.Checked, cell.Wrong, cell.Unchecked = verdict.Checked, verdict.Wrong, verdict.Unchecked
	if verdict.Wrong > 0 {
		cell.Notes = append(slices.Clone(cell.Notes), "first wrong sum: "+verdict.First)
	}
	return err
}

// run is the machines of jobs on a network.
type run struct {
	set        *job.Set
	net        *Network
	tenants    []*tenant
	owner      map[NodeID]*tenant // of hosts
	ids        map[string]NodeID
	switches   []*switchNode
	counted    []counted // switches
	log        *trace.Log
	shared     bool           // some host has several machines
	tapped     bool           // somebody sees the packets of all rounds
	interval   units.Duration // of series; zero: there are none
	flows      []flow
	collectors []collector
	beside     map[string][]host.Member // ends of flows, by host, that are on no host yet; looked up

	director *director // nil: nothing is done to processes
	lives    []life    // of switches that were stopped
	err      error     // of the director
}

// tenant is one of the jobs of a run, and what comes of it.
type tenant struct {
	job     *job.Job
	cell    result.Cell
	sums    *check.Stream
	servers []server // those that were killed left
	workers []*worker.Worker
	gone    []bool          // by worker: its process has ended
	at      []string        // by worker: its host
	counted []counted       // hosts
	meters  []*meter.Meter  // of all workers that there were
	adding  []*meter.Adding // of all servers
}

// server is a server of a job.
type server struct {
	name    string
	machine job.Server
}

// counted is a node with counters.
type counted struct {
	name     string
	counters func() []sansio.Count
}

// cells returns the records of the jobs, as far as they are.
func (r *run) cells() (out []result.Cell) {
	for _, t := range r.tenants {
		out = append(out, t.cell)
	}
	return out
}

// count gathers the counters of the switches and of a job's hosts, the frames
// that crossed links, and the measured compute time.
func (r *run) count(t *tenant) {
	cell := &t.cell
	add := func(n counted) []sansio.Count {
		list := n.counters()
		for _, c := range list {
			cell.Counters = append(cell.Counters, result.Counter{Node: n.name, Name: c.Name, N: c.N})
		}
		return list
	}
	for _, n := range r.counted {
		add(n)
	}
	for _, s := range t.servers {
		cell.Decide(result.DecisionsOf(s.name, s.machine))
	}
	for _, n := range t.counted {
		cell.Resent.Add(sansio.ResentOf(add(n)))
	}
	if r.director != nil {
		cell.Counters = result.SumCounters(cell.Counters)
	}
	for _, l := range r.switchLives() {
		cell.Links = append(cell.Links, l.links...)
		cell.Work.Frames += l.crossings
		cell.Work.Packets += l.made
	}
	for id := range r.owner {
		cell.Work.Packets += r.net.nodes[id].frames
	}
	var computes []job.Measured
	for i, w := range t.workers {
		if l, ok := w.Job.(*worker.Loop); ok {
			computes = append(computes, job.Measured{Host: t.at[i], Mean: l.MeanCompute()})
		}
	}
	cell.Compute = t.job.MeanCompute(computes)
}

func (r *run) done() bool {
	return r.err != nil || !slices.ContainsFunc(r.tenants, func(t *tenant) bool { return !t.over() })
}

// over reports whether the job was ended, or all workers are done that were not. One
// without any worker waits for its end.
func (t *tenant) over() bool {
	left := 0
	for i, w := range t.workers {
		if t.gone[i] {
			continue
		}
		if left++; !w.Job.Done() && t.cell.Ended == nil {
			return false
		}
	}
	return left > 0 || t.cell.Ended != nil
}

// progressText says how far the workers came, for a run that did not end.
func (r *run) progressText() string {
	s := "; model updates so far:"
	for _, t := range r.tenants {
		if len(r.tenants) > 1 {
			s += fmt.Sprintf(" job %d:", t.job.ID)
		}
		for i, w := range t.workers {
			s += fmt.Sprintf(" worker %d: %d", i, w.Job.Iteration())
		}
	}
	return s
}
