package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	agent "github.com/inalab/inalab/nodes/xaggd"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggReliable is XAgg with loss on all links (§IV-D).
func xaggReliable() experiment.Experiment {
	const id = "xagg.s4d.reliable"
	return experiment.Experiment{
		ID: id, Title: "XAgg with up to 5% of loss on every link: what lacks, and what is wrong",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Live:   true, Quick: "3 of 10 all-reduces of each run",
		Run: countingOnLab(runXAggReliable),
	}
}

// Four workers on two servers, and two groups and a tail of each gradient.
const (
	reliableWorkers  = 4
	reliableElements = 256 * (2*1024 + 200)
)

// reliableLosses are those of each link, each way.
var reliableLosses = []float64{0.001, 0.01, 0.05}

func runXAggReliable(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	t := claims.Table{
		ID: "xagg.s4d.reliable", Title: "XAgg with loss on every link, each way: four workers, two servers and the PS",
		Columns: []claims.Column{{Name: "loss", Unit: "%"}, {Name: "packets lost"}, {Name: "loss reports"}, {Name: "sent again"}, {Name: "elements missing"}, {Name: "checked"}, {Name: "wrong"}},
	}
	parts := map[string]float64{}
	for _, p := range reliableLosses {
		m, err := l.run(ctx, liveRun{
			name: fmt.Sprintf("XAgg, loss %g%%", 100*p), sys: xagg.System{K: 2}, topology: "rack", hosts: reliableWorkers, mtu: testbed.MTU,
			rate: testbed.Gigabit100, scale: slowScale, loss: p, elements: reliableElements, iterations: experiment.Cut(l.env, 10, 3),
		})
		if err != nil {
			return f, err
		}
		c := &m.Cell
		lost, missing := lostOnLinks(c), max(0, float64(reliableWorkers*reliableElements)-float64(c.Checked))
		t.Add(render.Number(100*p, 1), render.Int(lost), render.Int(counted(c, agent.CountReports, nil)), render.Int(counted(c, agent.CountAgain, nil)), render.Number(missing, 0), render.Int(c.Checked), render.Int(c.Wrong))
		parts["missing"] += missing
		parts["wrong"] += float64(c.Wrong)
		parts["packets_lost"] += float64(lost)
	}
	f.Tables = []claims.Table{t}
	f.Set("xagg.s4d.reliable", l.say(claims.NumberParts(parts), slowScale, "XAgg on a binary tree, elements in the kernel where it has XDP; sums of the last all-reduce are checked"))
	return f, nil
}

// lostOnLinks counts frames that links dropped.
func lostOnLinks(c *result.Cell) (n uint64) {
	for i := range c.Links {
		n += c.Links[i].Dropped()
	}
	return n
}

// xaggFailover is XAgg with a server that is killed in mid-iteration (§V).
func xaggFailover() experiment.Experiment {
	const id = "xagg.s5.failover"
	return experiment.Experiment{
		ID: id, Title: "a training with XAgg, of which an aggregator is killed",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Live:   true, Quick: "100 of 200 iterations",
		Run: countingOnLab(runXAggFailover),
	}
}

// failoverKill is when the first server ends: the job is under way, as for [respawnKill].
const failoverKill = 1200 * units.Millisecond

// sending is a model that computes for a short part of an iteration, so that most instants are in mid-iteration.
func sending() profiles.Profile {
	p := testbed.Profile("resnet50")
	p.Compute = units.Millisecond
	return p
}

func runXAggFailover(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	r := liveRun{
		name: "XAgg, an aggregator is killed", sys: xagg.System{K: 2}, topology: "rack", hosts: reliableWorkers, mtu: testbed.MTU,
		rate: testbed.Gigabit100, scale: slowScale, model: sending(), batch: 1, iterations: experiment.Cut(l.env, 200, 100),
	}
	r.change = func(s *job.Spec) {
		s.Actions = []job.Action{{At: failoverKill, Verb: job.Kill, Node: fmt.Sprintf("h%d", reliableWorkers)}}
	}
	m, err := l.checked(ctx, r)
	if err != nil {
		return f, err
	}
	c := &m.Cell
	done := 0
	for _, s := range c.Samples {
		if s.Iteration == r.iterations-1 {
			done++
		}
	}
	if c.Ended != nil || done != reliableWorkers {
		return f, fmt.Errorf("%d of %d workers are done: %v", done, reliableWorkers, c.Ended)
	}
	j, err := r.job(l.env)
	if err != nil {
		return f, err
	}
	worker := func(node string) bool { return node < fmt.Sprintf("h%d", reliableWorkers) }
	once := uint64(r.iterations*reliableWorkers) * uint64(agent.Fragments(j.Params, 0))
	moved, again := counted(c, agent.CountMoves, nil), counted(c, agent.CountSent, worker)-once
	f.Tables = []claims.Table{{
		ID: "xagg.s5.failover", Title: fmt.Sprintf("A training of four workers on two servers, of which the first is killed after %v", failoverKill),
		Columns: []claims.Column{{Name: "iterations"}, {Name: "moves to another parent"}, {Name: "packets sent for the new parent"}, {Name: "checked"}, {Name: "wrong"}},
		Notes:   []string{"Packets for the new parent are those of workers beyond one of each fragment and iteration: none if the server ended between iterations."},
	}}
	f.Tables[0].Add(render.Int(r.iterations), render.Int(moved), render.Int(again), render.Int(c.Checked), render.Int(c.Wrong))
	f.Set("xagg.s5.failover", l.say(claims.NumberParts(map[string]float64{"wrong": float64(c.Wrong), "children_moved": float64(moved)}), slowScale, "XAgg on a binary tree, elements in the kernel where it has XDP"))
	return f, nil
}
