package unit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/reports/claims"
)

// xaggRates is XAgg's rate negotiation (XAgg §IV-C), with messages that are lost, late and repeated.
func xaggRates() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.rates", Title: "XAgg's rate negotiators on random trees: inequality (1), max-min shares, and the cut of lossy workers",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{"xagg.s4c.constraints", "xagg.s4c.loss-backoff"},
		Quick:  "a tenth of the random trees",
		Run:    experiment.Steps(xaggInequality, xaggLossCut),
	}
}

const (
	negotiatedTrees = 2000
	mostNodes       = 10  // of a random tree (assumed: four levels of it are usual)
	mostIngress     = 200 // bit/s: small numbers, so that shares have rests
	mostEgress      = 120
)

// negotiatedTree draws a tree: node 1 is the root, and every other has a parent with a lower id.
func negotiatedTree(stream *rng.Stream) (configs []rates.Config, workers []rates.ID) {
	for id := 1; id <= 2+stream.IntN(mostNodes-1); id++ {
		c := rates.Config{ID: rates.ID(id), Ingress: units.Rate(1 + stream.IntN(mostIngress)), Egress: units.Rate(1 + stream.IntN(mostEgress)), Floor: 1}
		if id == 1 {
			c.Egress = 0
		} else {
			c.Parent = rates.ID(1 + stream.IntN(id-1))
			configs[c.Parent-1].Children = append(configs[c.Parent-1].Children, c.ID)
		}
		configs = append(configs, c)
	}
	for _, c := range configs {
		if len(c.Children) == 0 {
			workers = append(workers, c.ID)
		}
	}
	return configs, workers
}

// inequality watches inequality (1) of a tree.
type inequality struct {
	net     *rig.Negotiation
	configs []rates.Config
	ended   bool // a worker has ended: the rest of its siblings may go on until they confirm

	instants, sum, out, binding int
}

// look checks both inequalities at all parents, in what children may send and in what leaves.
func (q *inequality) look() {
	q.instants++
	for _, p := range q.configs {
		if len(p.Children) == 0 {
			continue
		}
		granted, flows, least := units.Rate(0), units.Rate(0), units.Rate(-1)
		for _, c := range p.Children {
			granted += q.net.Nodes[c].Rate()
			flow := q.net.Flow(c)
			flows += flow
			if least < 0 || flow < least {
				least = flow
			}
		}
		q.sum += btoi(granted > p.Ingress) + btoi(!q.ended && flows > p.Ingress)
		if p.ID != 1 {
			q.out += btoi(!q.ended && least > p.Egress)
			q.binding += btoi(least == p.Egress)
		}
	}
}

// xaggInequality runs random trees over a network that loses, repeats and delays messages.
func xaggInequality(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.rates/inequality")
	var all inequality
	trees := e.Trials(negotiatedTrees)
	for range trees {
		q, err := negotiate(stream)
		if err != nil {
			return err
		}
		all.instants, all.sum, all.out, all.binding = all.instants+q.instants, all.sum+q.sum, all.out+q.out, all.binding+q.binding
	}
	if all.binding == 0 {
		return fmt.Errorf("no egress bandwidth bounds a rate in %d trees", trees)
	}
	f.Set("xagg.s4c.constraints", claims.Number(float64(all.sum+all.out)).On("package nodes/xagg/rates").
		Noting("%d of the ingress and %d of the egress, after each of %d steps in %d random trees, with messages lost, repeated and late; an egress bounds a rate %d times; rates that settle are max-min",
			all.sum, all.out, all.instants, trees, all.binding))
	return nil
}

// negotiate has the workers of a tree begin, lose packets and end, and looks at each step.
func negotiate(stream *rng.Stream) (*inequality, error) {
	configs, workers := negotiatedTree(stream)
	net, err := rig.NewNegotiation(configs)
	if err != nil {
		return nil, err
	}
	q := &inequality{net: net, configs: configs}
	net.After = q.look
	net.Fate = badNetwork(stream, stream.IntN(60))
	for _, i := range stream.Perm(len(workers)) {
		net.Begin(workers[i], 1)
		net.Run(net.Now.Add(units.Duration(stream.IntN(80)) * units.Millisecond))
	}
	net.Run(units.Never)
	if err := settled(net, configs, workers); err != nil {
		return nil, err
	}
	for range stream.IntN(4) {
		c := configs[1+stream.IntN(len(configs)-1)]
		lost := uint64(stream.IntN(1000))
		net.Do(c.Parent, func(n *rates.Node) { n.Loss(net.Now, c.ID, net.Now, lost, 1000) })
		net.Run(net.Now.Add(units.Duration(stream.IntN(80)) * units.Millisecond))
	}
	q.ended = true
	for _, i := range stream.Perm(len(workers)) {
		net.End(workers[i])
		net.Run(net.Now.Add(units.Duration(stream.IntN(80)) * units.Millisecond))
	}
	net.Run(units.Never)
	return q, nil
}

// badNetwork loses messages with a probability in percent, repeats a fifth of the others, and delays all
// by up to 40 ms.
func badNetwork(stream *rng.Stream, percent int) func() []units.Duration {
	late := func() units.Duration { return units.Duration(stream.IntN(40)) * units.Millisecond }
	return func() []units.Duration {
		switch {
		case stream.IntN(100) < percent:
			return nil
		case stream.IntN(5) == 0:
			return []units.Duration{late(), late()}
		}
		return []units.Duration{late()}
	}
}

// settled compares the rates of workers that all send with max-min shares, node by node from the root on.
func settled(net *rig.Negotiation, configs []rates.Config, workers []rates.ID) error {
	want := map[rates.ID]units.Rate{}
	config := func(id rates.ID) rates.Config { return configs[id-1] }
	var demand func(id rates.ID) units.Rate
	demand = func(id rates.ID) units.Rate {
		c := config(id)
		if len(c.Children) == 0 {
			return c.Egress
		}
		var below []units.Rate
		for _, child := range c.Children {
			below = append(below, demand(child))
		}
		return min(c.Egress, slices.Min(fairShares(c.Ingress, -1, below)))
	}
	var grant func(id rates.ID, egress units.Rate)
	grant = func(id rates.ID, egress units.Rate) {
		c := config(id)
		if len(c.Children) == 0 {
			want[id] = egress
			return
		}
		var below []units.Rate
		for _, child := range c.Children {
			below = append(below, demand(child))
		}
		for i, rate := range fairShares(c.Ingress, egress, below) {
			grant(c.Children[i], rate)
		}
	}
	grant(1, -1)
	got, fair := map[units.Rate]int{}, map[units.Rate]int{}
	for _, w := range workers {
		got[net.Nodes[w].Rate()]++
		fair[want[w]]++
	}
	for rate := range got {
		if got[rate] != fair[rate] {
			return fmt.Errorf("workers of %+v settle at %v bit/s (rate: how many), and max-min shares are %v", configs, got, fair)
		}
	}
	return nil
}

// fairShares gives bandwidth out bit by bit to whoever has least, and holds the child with the least demand,
// the last of several, to the egress bandwidth if the least share exceeds it. A negative egress bounds nothing.
func fairShares(ingress, egress units.Rate, demands []units.Rate) []units.Rate {
	demands = slices.Clone(demands)
	shares := fill(ingress, demands)
	if egress < 0 || slices.Min(shares) <= egress {
		return shares
	}
	least := 0
	for i := range demands {
		if demands[i] <= demands[least] {
			least = i
		}
	}
	demands[least] = min(demands[least], egress)
	return fill(ingress, demands)
}

// fill gives out bits, the next always to the child that has least and wants more; of several, to the
// one with the highest demand, the first of those.
func fill(total units.Rate, demands []units.Rate) []units.Rate {
	shares := make([]units.Rate, len(demands))
	for ; total > 0; total-- {
		to := -1
		for i := range shares {
			if shares[i] < demands[i] && (to < 0 || shares[i] < shares[to] || shares[i] == shares[to] && demands[i] > demands[to]) {
				to = i
			}
		}
		if to < 0 {
			break
		}
		shares[to]++
	}
	return shares
}

// Losses of the statistical periods that the claim names, of ten groups.
const (
	lossGroups = 10
	periodOf   = lossGroups * groups.DefaultGroup
)

// xaggLossCut has groups find some packets of a period lost, and looks at what the worker may send then.
func xaggLossCut(f *experiment.Findings, _ *experiment.Env) error {
	parts, at := map[string]float64{}, map[string]string{}
	for name, percent := range map[string]float64{"at_0_9pct": 0.9, "at_1_1pct": 1.1} {
		lost := uint32(percent / 100 * periodOf)
		kept, err := afterLoss(lost)
		if err != nil {
			return err
		}
		parts[name], at[name] = kept, fmt.Sprintf("%.3f%%", 100*float64(lost)/periodOf)
	}
	m := claims.NumberParts(parts).On("packages nodes/xagg/groups and rates")
	m.Reading = "xagg.rate-policy: cut by the share lost"
	f.Set("xagg.s4c.loss-backoff", m.Noting("the rate of a worker, of which %s and %s of %d packets are lost, over the one before", at["at_0_9pct"], at["at_1_1pct"], periodOf))
	return nil
}

// afterLoss returns which part of its rate a worker keeps.
func afterLoss(lost uint32) (kept float64, err error) {
	const ps, worker = 1, 2
	net, err := rig.NewNegotiation([]rates.Config{
		{ID: ps, Ingress: 60 * units.GbitPerSecond, Children: []rates.ID{worker}}, {ID: worker, Parent: ps, Egress: 100 * units.GbitPerSecond},
	})
	if err != nil {
		return 0, err
	}
	net.Begin(worker, 1)
	net.Run(units.Never)
	before, began := net.Nodes[worker].Rate(), net.Now

	books, err := groups.NewReceiver(groups.Config{Packets: periodOf}, []groups.Host{worker}, func(_ groups.Host, i uint32) bool {
		return i%(periodOf/lost) != 1 || i/(periodOf/lost) >= lost // spread over all groups
	})
	if err != nil {
		return 0, err
	}
	for end := uint32(groups.DefaultGroup); end <= periodOf; end += groups.DefaultGroup {
		books.Checked(net.Now, worker, end)
	}
	found, checked := books.Losses(worker)
	if found != uint64(lost) || checked != periodOf {
		return 0, fmt.Errorf("groups find %d of %d packets lost, and %d of %d are", found, checked, lost, periodOf)
	}
	net.Do(ps, func(n *rates.Node) { n.Loss(net.Now, worker, began, found, checked) })
	net.Run(units.Never)
	return float64(net.Nodes[worker].Rate()) / float64(before), nil
}
