package unit

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/manager"
	"github.com/inalab/inalab/reports/claims"
)

// xaggTree is how XAgg's manager builds and changes trees (XAgg §V).
func xaggTree() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.tree", Title: "XAgg's aggregation trees: height, children, single children, which servers qualify, and when it stays off",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{"xagg.s5.height", "xagg.s5.child-count", "xagg.s5.prune-single", "xagg.s5.skip", "xagg.s5.node-filter"},
		Quick:  "a tenth of the random trees, and heights up to 200 workers",
		Run:    experiment.Steps(xaggHeights, xaggChildren, xaggSingles, xaggSkips, xaggFilter),
	}
}

const (
	treeModel   = units.GiB
	heightMost  = 1000 // workers, as of xagg.s5.low-complexity
	heightQuick = 200
)

// equalServers returns n servers of 100 Gbit/s.
func equalServers(n int) (list []manager.Server) {
	for i := range n {
		list = append(list, manager.Server{Name: fmt.Sprint("s", i), Bandwidth: 100 * units.GbitPerSecond, Cores: 10, Memory: 100 * units.GiB})
	}
	return list
}

// treeWorkers returns w workers with random times.
func treeWorkers(w int, stream *rng.Stream) (list []manager.Worker) {
	for i := range w {
		list = append(list, manager.Worker{Name: fmt.Sprint("w", i), Training: units.Duration(stream.IntN(5)) * units.Second, Transfer: units.Second})
	}
	return list
}

// xaggHeights builds trees of equal servers, and compares their levels with equation (2).
func xaggHeights(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.tree/height")
	other, trees, seven := 0, 0, 0
	step := 1
	for w := 2; w <= experiment.Cut(e, heightMost, heightQuick); w += step {
		if w > 130 { // beyond all powers of 2 to 5 but a few
			step = 37
		}
		for k := 2; k <= 5; k++ {
			tree, err := manager.Sketch(manager.Request{PS: "ps", Workers: treeWorkers(w, stream), Servers: equalServers(w), Model: treeModel, K: k})
			if err != nil {
				return err
			}
			h := levels(k, w)
			other += btoi(tree.Height() != h || manager.Height(k, w) != h)
			trees++
			if w == 7 && k == 3 {
				seven = tree.Height()
			}
		}
	}
	f.Set("xagg.s5.height", claims.NumberParts(map[string]float64{"w7_k3": float64(seven), "other_heights": float64(other)}).
		On("package nodes/xagg/manager").Noting("%d trees of equal servers, workers and PS counted", trees))
	return nil
}

// levels returns the h of k^(h-2) < w <= k^(h-1).
func levels(k, w int) (h int) {
	for h = 2; ; h++ {
		if pow(k, h-2) < w && w <= pow(k, h-1) {
			return h
		}
	}
}

func pow(k, n int) int {
	p := 1
	for range n {
		p *= k
	}
	return p
}

const childTrials = 20_000

// xaggChildren compares numbers of children with ceil(B_i/b - 1/2), at most k, in fractions. Half cases are drawn on
// purpose. Servers of trees are held to it as well.
func xaggChildren(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.tree/children")
	wrong, halves, served := 0, 0, 0
	trials := e.Trials(childTrials)
	for range trials {
		k, unit := 2+stream.IntN(6), units.Rate(1+stream.IntN(1_000_000))
		first := unit * units.Rate(2*k) // b is twice the unit
		own := unit * units.Rate(1+stream.IntN(2*k))
		if stream.IntN(2) == 0 {
			own = max(1, own+units.Rate(stream.IntN(3))-1)
		}
		n, half := childrenOf(own, first, k)
		wrong += btoi(manager.Children(own, first, k) != n)
		halves += btoi(half)
	}
	for range e.Trials(childTrials / 20) {
		tree, fit, err := randomTree(stream)
		if err != nil || tree == nil {
			continue
		}
		for _, s := range fit {
			if n := len(tree.Children(s.Name)); n > 0 {
				most, _ := childrenOf(s.Bandwidth, fit[0].Bandwidth, tree.K())
				wrong += btoi(n > most)
				served++
			}
		}
	}
	if halves == 0 || served == 0 {
		return fmt.Errorf("%d half cases and %d servers in %d trials", halves, served, trials)
	}
	f.Set("xagg.s5.child-count", claims.Number(float64(wrong)).On("package nodes/xagg/manager").
		Noting("of %d servers, %d with B_i/b half-way between two numbers; and of %d in trees, where a layer's last may have fewer", trials, halves, served))
	return nil
}

// childrenOf returns ceil(own/(first/k) - 1/2), at most k, and whether that was half-way.
func childrenOf(own, first units.Rate, k int) (n int, half bool) {
	x := new(big.Rat).SetFrac64(int64(own), int64(first))
	x.Mul(x, new(big.Rat).SetInt64(int64(k)))
	x.Sub(x, big.NewRat(1, 2))
	q, r := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	n = int(q.Int64())
	if r.Sign() != 0 {
		n++
	}
	return min(n, k), r.Sign() == 0
}

// randomTree plans for workers and servers of many kinds; nil where no tree is possible. fit are the servers that
// qualify, best first.
func randomTree(stream *rng.Stream) (tree *manager.Tree, fit []manager.Server, err error) {
	r := manager.Request{PS: "ps", Model: treeModel, Workers: treeWorkers(2+stream.IntN(23), stream), Servers: randomServers(stream)}
	if stream.IntN(2) == 0 {
		r.K = 2 + stream.IntN(6)
	}
	fit, _ = manager.Candidates(r.Servers, r.Model)
	tree, err = manager.Plan(r)
	if errors.Is(err, manager.ErrNoServer) || errors.Is(err, manager.ErrFewServers) || errors.Is(err, manager.ErrManyHosts) {
		return nil, nil, nil
	}
	return tree, fit, err
}

func randomServers(stream *rng.Stream) (list []manager.Server) {
	for i := range 1 + stream.IntN(12) {
		list = append(list, manager.Server{
			Name: fmt.Sprint("s", i), Bandwidth: units.Rate(1+stream.IntN(10)) * 10 * units.GbitPerSecond, Cores: 4 + stream.IntN(9),
			Memory: 10 * units.GiB, Used: units.Bytes(stream.IntN(9)) * units.GiB,
		})
	}
	return list
}

const pruneTrials = 4000

// xaggSingles counts aggregators with one child or none, in new trees and after failures and changes of load.
func xaggSingles(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.tree/singles")
	single, trees, rests := 0, 0, 0
	look := func(tree *manager.Tree) {
		trees++
		for _, s := range tree.Servers() {
			single += btoi(len(tree.Children(s)) < 2)
		}
	}
	for range e.Trials(pruneTrials) {
		tree, _, err := randomTree(stream)
		switch {
		case err != nil:
			return err
		case tree == nil:
			continue
		}
		look(tree)
		rests += btoi(len(tree.Workers())%tree.K() == 1)
		for range stream.IntN(4) {
			if servers := tree.Servers(); len(servers) > 0 && stream.IntN(2) == 0 {
				if _, err := tree.Fail(servers[stream.IntN(len(servers))], "drawn"); err != nil {
					return err
				}
			} else {
				tree.Adjust(randomServers(stream))
			}
			look(tree)
		}
	}
	if rests == 0 {
		return fmt.Errorf("no tree of %d has a worker left over", trees)
	}
	f.Set("xagg.s5.prune-single", claims.Number(float64(single)).On("package nodes/xagg/manager").
		Noting("in %d trees, new or after a failure or a change of load; in %d a full k-ary layer leaves one worker over", trees, rests))
	return nil
}

// xaggSkips asks whether models of 9.9% and 10% of communication are worth aggregators.
func xaggSkips(f *experiment.Findings, _ *experiment.Env) error {
	active := func(permille int) claims.Measured {
		var workers []manager.Worker
		for i := range 7 {
			workers = append(workers, manager.Worker{Name: fmt.Sprint("w", i), Training: units.Duration(1000-permille) * units.Millisecond, Transfer: units.Duration(permille) * units.Millisecond})
		}
		return claims.Bool(!manager.Skip(workers))
	}
	f.Set("xagg.s5.skip", claims.Group(map[string]claims.Measured{"active_at_9_9pct": active(99), "active_at_10pct": active(100)}).
		On("package nodes/xagg/manager"))
	return nil
}

const filterTrials = 20_000

// xaggFilter draws servers round both limits, and compares those chosen with the rule.
func xaggFilter(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.tree/filter")
	wrong, chosen, edges := 0, 0, 0
	trials := e.Trials(filterTrials)
	for range trials {
		cores, memory := 1+stream.IntN(44), int64(100+stream.IntN(900))
		s := manager.Server{Name: "s", Cores: cores, Memory: units.Bytes(5 * memory)}
		s.Bandwidth = 10*units.GbitPerSecond*units.Rate(cores) + units.Rate(stream.IntN(3)-1)
		model := units.Bytes(1 + stream.IntN(200))
		s.Used = units.Bytes(4*memory) - model + units.Bytes(stream.IntN(3)-1)
		qualifies := 100*(int64(s.Used)+int64(model)) <= 80*int64(s.Memory) && int64(s.Bandwidth) <= 10_000_000_000*int64(cores)
		fit, why := manager.Candidates([]manager.Server{s}, model)
		wrong += btoi((len(fit) == 1) != qualifies || len(fit)+len(why) != 1)
		chosen += btoi(qualifies)
		edges += btoi(int64(s.Used+model) == 4*memory && int64(s.Bandwidth) == 10_000_000_000*int64(cores))
	}
	if edges == 0 {
		return fmt.Errorf("no server of %d is at both limits", trials)
	}
	f.Set("xagg.s5.node-filter", claims.Number(float64(wrong+misordered(stream))).On("package nodes/xagg/manager").
		Noting("of %d servers within a byte and a bit/s of the limits, %d qualify, %d at both limits; candidates come by bandwidth, cores, memory", trials, chosen, edges))
	return nil
}

// misordered counts neighbours among candidates of which the second is better.
func misordered(stream *rng.Stream) (n int) {
	for range 200 {
		servers := randomServers(stream)
		fit, _ := manager.Candidates(servers, treeModel)
		for i := range fit {
			if i > 0 {
				n += btoi(better(&fit[i], &fit[i-1]))
			}
		}
	}
	return n
}

// better reports whether a server has more idle bandwidth, or as much and more cores, or memory.
func better(a, b *manager.Server) bool {
	switch {
	case a.Bandwidth != b.Bandwidth:
		return a.Bandwidth > b.Bandwidth
	case a.Cores != b.Cores:
		return a.Cores > b.Cores
	}
	return a.Memory-a.Used > b.Memory-b.Used
}
