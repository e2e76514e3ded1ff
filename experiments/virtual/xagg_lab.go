package virtual

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// treeLab is one job on a rack whose hosts differ: workers first, then servers, the PS last.
type treeLab struct {
	name    string
	sys     job.System
	host    hostmodel.Model // at full scale; zero: hosts cost nothing
	workers int
	link    func(host int) units.Rate // of both ways; nil: 100 Gbit/s
	free    bool                      // links towards workers have no limit: the way of results takes no time
	mib     int                       // of the tensor
	scale   int                       // rates and the tensor are divided by it, times are not
	rounds  int                       // the last one counts; zero: 1

	compute units.Duration // of a worker, before it sends
	paces   []job.Pace     // of workers; nil: all alike
}

// job lays the lab out.
func (l *treeLab) job(e *experiment.Env) (*job.Job, error) {
	servers := job.Servers(l.sys, l.workers)
	p, err := l.plan(e, l.workers+servers)
	if err != nil {
		return nil, err
	}
	host := l.host
	host.Rate /= units.Rate(l.scale)
	host.Frame *= units.Duration(l.scale)
	j, err := job.New(job.Spec{
		System: l.sys, Plan: p, Scale: l.scale, Seed: e.Seed, Virtual: true, Replay: true, Sample: gradient.Sampling{Every: sampleEvery},
		Model:      profiles.Profile{Name: fmt.Sprintf("%d MiB", l.mib), SizeMiB: l.mib, Compute: l.compute},
		Iterations: max(1, l.rounds), Servers: servers, Host: host, Paces: l.paces, Exact: true,
	})
	if err != nil {
		return nil, fmt.Errorf("laying out %s on a rack of %d hosts: %w", l.name, l.workers+servers, err)
	}
	return j, nil
}

// plan is a rack with the rates of hosts.
func (l *treeLab) plan(e *experiment.Env, hosts int) (*plan.Plan, error) {
	link := topo.LinkSpec{Rate: testbed.Gigabit100, Delay: units.Microsecond.Scale(e.Constants.Get("link.delay")), Queue: portQueue}
	g, err := gen.ByName("rack", gen.Params{Hosts: hosts, Link: link})
	if err != nil {
		return nil, err
	}
	g.MTU = testbed.MTU
	for h := range hosts {
		up, down, err := waysOf(g, h)
		if err != nil {
			return nil, err
		}
		rate := testbed.Gigabit100
		if l.link != nil {
			rate = l.link(h)
		}
		up.Rate, down.Rate = rate/units.Rate(l.scale), rate/units.Rate(l.scale)
		if l.free && h < l.workers {
			down.Rate = 0
		}
	}
	return plan.New(g)
}

// waysOf returns the way from a host of a graph, and the way to it.
func waysOf(g *topo.Graph, host int) (up, down *topo.LinkSpec, err error) {
	i := 0
	for _, n := range g.Nodes {
		if n.Kind != topo.Host {
			continue
		}
		if i++; i <= host {
			continue
		}
		for at := range g.Links {
			switch l := &g.Links[at]; n.Name {
			case l.A.Node:
				return &l.AtoB, &l.BtoA, nil
			case l.B.Node:
				return &l.BtoA, &l.AtoB, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("topology %s has no link of host %d", g.Name, host)
}

// treeRun is what a lab came to.
type treeRun struct {
	lab  *treeLab
	cell result.Cell
	took units.Duration // from the first begin to the last end
	wait units.Duration // mean over workers, from the end of its compute to its end
	ran  string         // what aggregated in switches
}

// bytes is the size of the tensor, at full scale.
func (r *treeRun) bytes() float64 { return float64(r.lab.mib) * float64(units.MiB) }

// last is the round that counts.
func (r *treeRun) last() int { return max(1, r.lab.rounds) - 1 }

// busiest returns the most that a worker sends, with headers, in bit/s at full scale: the mean over the time of communication,
// of all rounds.
func (r *treeRun) busiest() float64 {
	most := units.Bytes(0)
	for w := range r.lab.workers {
		for i := range r.cell.Links {
			if l := &r.cell.Links[i]; strings.HasPrefix(l.Name, fmt.Sprintf("h%d:", w)) {
				most = max(most, l.Bytes)
			}
		}
	}
	return 8 * float64(most) * float64(r.lab.scale) / float64(max(1, r.lab.rounds)) / r.took.Seconds()
}

// runTrees simulates labs, as many at a time as there are processors.
func runTrees(ctx context.Context, e *experiment.Env, labs []treeLab) ([]treeRun, error) {
	var jobs []*job.Job
	for i := range labs {
		j, err := labs[i].job(e)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return nil, err
	}
	var out []treeRun
	for i := range cells {
		r := treeRun{lab: &labs[i], cell: cells[i]}
		r.took, r.wait = r.times(jobs[i])
		if r.ran, err = testbed.RanOn(labs[i].sys, &cells[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", labs[i].name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// whole is the time of the round that counts, with the longest compute.
func (r *treeRun) whole() units.Duration { return testbed.Took(r.cell.Samples, r.last()) }

// times returns the time of the round that counts without the longest compute, and the mean time of workers without their own.
func (r *treeRun) times(j *job.Job) (took, wait units.Duration) {
	computes := j.Computes()
	n := 0
	for _, s := range r.cell.Samples {
		if s.Iteration == r.last() {
			wait += s.End.Sub(s.Start) - computes[s.Worker]
			n++
		}
	}
	return r.whole() - slices.Max(computes), wait / units.Duration(max(1, n))
}
