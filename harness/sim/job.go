package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/plan"
)

// Progress is called with the samples of iterations that are over.
type Progress func([]result.Sample)

// Bounds of the virtual time of a run, in times of what it should take. Where
// frames are lost, TCP waits for timeouts that are longer than all the rest.
const (
	patience      = 20
	lossyPatience = 1000
)

func patienceFor(p *plan.Plan) int {
	if chance(p) {
		return lossyPatience
	}
	return patience
}

// RunJob runs a job under the virtual clock and checks every delivered sum.
func RunJob(ctx context.Context, j *job.Job, images worker.Images, progress Progress) (result.Cell, error) {
	return (&Patterns{}).RunJob(ctx, j, images, progress)
}

// RunJob is [RunJob] for one of several jobs that differ in nothing but their
// schedules: the patterns of rounds that one of them simulated are charged in
// the others. The jobs run one after the other.
func (p *Patterns) RunJob(ctx context.Context, j *job.Job, images worker.Images, progress Progress) (result.Cell, error) {
	return p.RunJobLogged(ctx, j, images, Observer{Progress: progress})
}

// RunJobLogged is [Patterns.RunJob] for who wants to see more than the samples.
func (p *Patterns) RunJobLogged(ctx context.Context, j *job.Job, images worker.Images, o Observer) (result.Cell, error) {
	cell := j.Cell()
	shape, who, sink := check.ForJob(j)
	sums := check.NewStream(shape, who)
	run, err := newRun(j, images, sums, sinks{sink, o.logFor(j)})
	if err != nil {
		return cell, err
	}
	watch := newWatch(run, j, cell.Expected)
	var charges *rounds
	if !j.Exact {
		charges = newRounds(run, j.Plan, p)
		if charges != nil {
			charges.skipped = sums.Skip
		}
	}
	report, err := run.net.Run(ctx, Options{
		Until: units.Time(patienceFor(j.Plan)*j.Iterations) * units.Time(cell.Expected),
		Done:  watch.done,
		OnSamples: func(s []result.Sample) error {
			cell.Samples = append(cell.Samples, s...)
			charges.samples(s)
			if o.Progress != nil {
				o.Progress(s)
			}
			return nil
		},
		Between: charges.between,
		Watch:   o.Watch,
	})
	if err = watch.explain(ctx, err); err != nil {
		return cell, fmt.Errorf("running %s under the virtual clock: %w", j.System.Name(), err)
	}
	slices.SortFunc(cell.Samples, byEnd)
	run.count(&cell)
	cell.Work.Steps, cell.Work.Events, cell.Work.Charged = report.Steps, report.Events, charges.count()
	cell.Work.Rounds, cell.Work.Sample = j.Iterations-cell.Work.Charged, max(1, j.Sample.Every)
	cell.Fidelity = result.Fidelity{Verdict: result.Exact}
	return cell, run.judge(&cell, sums)
}

// byEnd is the order of samples: a charged round may end its workers of one
// instant in another order than a simulated one.
func byEnd(a, b result.Sample) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Worker, b.Worker))
}

// judge adds what the checks of the sums came to.
func (r *run) judge(cell *result.Cell, sums *check.Stream) error {
	if _, ok := r.workers[0].Job.(*worker.Bench); ok {
		for _, w := range r.workers {
			checked, wrong := w.Job.(*worker.Bench).Verified()
			cell.Checked, cell.Wrong = cell.Checked+checked, cell.Wrong+wrong
		}
		return nil
	}
	verdict, err := sums.Result()
	cell.Checked, cell.Wrong = verdict.Checked, verdict.Wrong
	if verdict.Wrong > 0 {
		cell.Notes = append(cell.Notes, "first wrong sum: "+verdict.First)
	}
	return err
}

// run is a job's machines on a network.
type run struct {
	net      *Network
	switches []*chassis.Chassis
	workers  []*worker.Worker
	counted  []counted // switches and workers
	log      *trace.Log
}

// counted is a node with counters.
type counted struct {
	name     string
	counters func() []sansio.Count
}

// count gathers the counters of all nodes, the frames that crossed links, and
// the measured compute time.
func (r *run) count(cell *result.Cell) {
	for _, n := range r.counted {
		for _, c := range n.counters() {
			cell.Counters = append(cell.Counters, result.Counter{Node: n.name, Name: c.Name, N: c.N})
		}
	}
	for _, sw := range r.switches {
		cell.Work.Frames += sw.Crossings()
		cell.Work.Packets += sw.Made()
	}
	for _, host := range r.net.nodes[len(r.switches):] {
		cell.Work.Packets += host.frames
	}
	for _, w := range r.workers {
		if l, ok := w.Job.(*worker.Loop); ok {
			cell.Compute += l.MeanCompute() / units.Duration(len(r.workers))
		}
	}
}

func newRun(j *job.Job, images worker.Images, sums *check.Stream, to sinks) (*run, error) {
	r := &run{net: &Network{}, log: to.log}
	ids := map[string]NodeID{}
	for _, cfg := range j.Switches(0) {
		c, err := j.NewSwitch(cfg, to.switches())
		if err != nil {
			return nil, err
		}
		ids[cfg.Switch.Name] = r.net.AddNode(cfg.Switch.Name, c)
		r.switches = append(r.switches, c)
		r.counted = append(r.counted, counted{cfg.Switch.Name, c.Counters})
	}
	for _, cfg := range j.ServerConfigs() {
		s, err := j.NewServer(cfg)
		if err != nil {
			return nil, err
		}
		ids[cfg.Node] = r.net.AddNode(cfg.Node, s)
		r.counted = append(r.counted, counted{cfg.Node, s.Server.Counters})
	}
	for i, cfg := range j.Workers() {
		w, err := j.NewWorker(cfg, images, sums.Recorder(i), to.workers(j))
		if err != nil {
			return nil, err
		}
		r.workers = append(r.workers, w)
		id := r.net.AddNode(cfg.Loop.Node, w)
		if l, ok := w.Job.(*worker.Loop); ok {
			r.net.nodes[id].own = l.OwnDeadline
		}
		ids[cfg.Loop.Node] = id
		r.counted = append(r.counted, counted{cfg.Loop.Node, w.Job.Core().Counters})
	}
	return r, r.connect(j.Plan, ids)
}

func (r *run) connect(p *plan.Plan, ids map[string]NodeID) error {
	for _, sw := range p.Switches {
		for _, port := range sw.Ports {
			if !port.Wired || port.PeerSwitch != plan.None && port.PeerSwitch < sw.Index {
				continue // unwired, or connected from the other end
			}
			peer := sansio.Port(0)
			if port.PeerSwitch != plan.None {
				peer = sansio.Port(port.PeerPort)
			}
			if err := r.net.Connect(ids[sw.Name], sansio.Port(port.Index), ids[port.Peer.Node], peer); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) done() bool {
	return !slices.ContainsFunc(r.workers, func(w *worker.Worker) bool { return !w.Job.Done() })
}

// where says how far the workers came, for a run that did not end.
func (r *run) where() string {
	s := "; model updates so far:"
	for i, w := range r.workers {
		s += fmt.Sprintf(" worker %d: %d", i, w.Job.Iteration())
	}
	return s
}
