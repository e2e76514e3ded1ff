package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// demand returns what a stage with these nodes takes; what they share counts once.
func (b *builder) demand(nodes []int) demand {
	var d demand
	exact, ternary := map[FieldID]bool{}, map[FieldID]bool{}
	hashed, registers := map[hashUse]bool{}, map[place]bool{}
	for _, i := range nodes {
		n := &b.nodes[i]
		d.add(&n.take)
		d[ExactBytes] += b.bytesOf(n.exact, exact)
		d[TernaryBytes] += b.bytesOf(n.ternary, ternary)
		for _, h := range n.hashed {
			if !hashed[h] {
				hashed[h] = true
				d[HashUnits] += h.units
			}
		}
		for _, p := range n.registers {
			if !registers[p] {
				registers[p] = true
				r := demandOfRegister(&b.Registers[p.id])
				d.add(&r)
			}
		}
	}
	return d
}

// bytesOf counts the bytes of fields that are not in a set, and puts them into it.
func (b *builder) bytesOf(fields []FieldID, counted map[FieldID]bool) int {
	n := 0
	for _, f := range fields {
		if !counted[f] {
			counted[f] = true
			n += ceil(b.Fields[f].Bits, 8)
		}
	}
	return n
}

// short returns a resource of which a demand takes more than a stage has.
func (d *demand) short() (Resource, bool) {
	for r := range NumResources {
		if d[r] > r.Limit() {
			return r, true
		}
	}
	return 0, false
}

// bounds are the stages between which a cluster must lie because of dependencies
// and pins, and the edges that say so.
type bounds struct {
	earliest, latest []int
	before           []int // edge that pushes it back, of its in; -1: none
}

// bound follows the dependencies forward and backward. The order is topological.
func bound(list []cluster, order []int) bounds {
	b := bounds{make([]int, len(list)), make([]int, len(list)), make([]int, len(list))}
	for _, c := range order {
		b.earliest[c], b.before[c] = max(list[c].pin, 1), -1
		for i, e := range list[c].in {
			if at := b.earliest[e.from] + e.apart; at > b.earliest[c] {
				b.earliest[c], b.before[c] = at, i
			}
		}
	}
	for _, c := range slices.Backward(order) {
		b.latest[c] = Stages
		if list[c].pin > 0 {
			b.latest[c] = list[c].pin
		}
		for _, e := range list[c].out {
			b.latest[c] = min(b.latest[c], b.latest[e.to]-e.apart)
		}
	}
	return b
}

// topologicalClusters orders clusters so that dependencies point forward.
func topologicalClusters(list []cluster) []int {
	waits := make([]int, len(list))
	for i := range list {
		waits[i] = len(list[i].in)
	}
	var order, ready []int
	for i := range list {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		c := ready[0]
		ready = ready[1:]
		order = append(order, c)
		for _, e := range list[c].out {
			if waits[e.to]--; waits[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return order
}

// checkChains refuses what no number of tables a stage would help: chains of
// dependencies that are too long, and pins that contradict them.
func (b *builder) checkChains(bad *refusals, list []cluster, order []int, in bounds) {
	for _, c := range order {
		at, before := in.earliest[c], in.before[c]
		if at <= Stages && (list[c].pin == 0 || at == list[c].pin) {
			continue
		}
		var way []edge
		for k := c; in.before[k] >= 0; k = way[0].from {
			way = slices.Insert(way, 0, list[k].in[in.before[k]])
		}
		text := b.chain(list, way)
		switch {
		case list[c].pin > 0:
			bad.add(RulePinned, b.clusterName(&list[c]), "pin it to a later stage, or not at all",
				"is pinned to stage %d, and its dependencies need stage %d: %s", list[c].pin, at, text)
		case before >= 0:
			bad.add(RuleStages, b.clusterName(&list[c]), "shorten the chain, or make passes of it: recirculate",
				"a chain of dependencies needs stage %d of %d: %s", at, Stages, text)
		}
		return // the rest of the chain would be refused for the same reason
	}
}

// schedule fills the stages one by one. Where several clusters are ready, the one
// that prefer puts first goes first; none goes to a stage after its latest. It returns
// the nodes of each stage and each cluster's stage, 0 for what found no room.
func (b *builder) schedule(list []cluster, latest []int, prefer func(x, y int) int) (stages [][]int, at []int) {
	stages, at = make([][]int, Stages), make([]int, len(list))
	waiting := make([]int, len(list))
	for i := range waiting {
		waiting[i] = i
	}
	slices.SortStableFunc(waiting, prefer)
	for s := range stages {
		for more := true; more; {
			more = false
			for _, c := range waiting {
				if at[c] != 0 || s+1 > latest[c] || !ready(&list[c], at, s+1) {
					continue
				}
				nodes := slices.Concat(stages[s], list[c].nodes)
				d := b.demand(nodes)
				if _, short := d.short(); !short {
					stages[s], at[c], more = nodes, s+1, true
				}
			}
		}
	}
	return stages, at
}

// ready tells whether a cluster may be in a stage, given where those before it are.
func ready(c *cluster, at []int, stage int) bool {
	if c.pin != 0 && c.pin != stage {
		return false
	}
	return !slices.ContainsFunc(c.in, func(e edge) bool { return at[e.from] == 0 || at[e.from]+e.apart > stage })
}

// place puts every cluster into a stage, or says which found no room.
func (b *builder) place(bad *refusals) (stages [][]int, stageOf []int) {
	edges := b.dependencies()
	list, clusterOf := b.clusters(edges)
	b.checkApart(bad, list, clusterOf, edges)
	if len(*bad) > 0 {
		return nil, nil
	}
	order := topologicalClusters(list)
	in := bound(list, order)
	b.checkChains(bad, list, order, in)
	for i := range list {
		d := b.demand(list[i].nodes)
		if r, short := d.short(); short {
			bad.add(r.Rule(), b.clusterName(&list[i]), "make it smaller, or split it", "needs %d %s in one stage, which has %d",
				d[r], r, r.Limit())
		}
	}
	if len(*bad) > 0 {
		return nil, nil
	}
	urgent := func(x, y int) int { return cmp.Or(cmp.Compare(in.latest[x], in.latest[y]), cmp.Compare(x, y)) }
	stages, at := b.schedule(list, in.latest, urgent)
	if slices.Contains(at, 0) { // once more, as the program has it
		if second, also := b.schedule(list, in.latest, cmp.Compare[int]); !slices.Contains(also, 0) {
			stages, at = second, also
		}
	}
	if c := firstWithout(list, at, urgent); c >= 0 {
		b.noRoom(bad, list, at, stages, c, in.latest[c])
	}
	stageOf = make([]int, len(b.nodes))
	for i := range stageOf {
		stageOf[i] = at[clusterOf[i]]
	}
	return stages, stageOf
}

// firstWithout finds the most urgent cluster that found no room although all
// before it did.
func firstWithout(list []cluster, at []int, urgent func(x, y int) int) int {
	found := -1
	for c := range list {
		waits := slices.ContainsFunc(list[c].in, func(e edge) bool { return at[e.from] == 0 })
		if at[c] == 0 && !waits && (found < 0 || urgent(c, found) < 0) {
			found = c
		}
	}
	return found
}

// noRoom says what a cluster lacks in the stages in which it could be.
func (b *builder) noRoom(bad *refusals, list []cluster, at []int, stages [][]int, c, high int) {
	low := 1
	for _, e := range list[c].in {
		low = max(low, at[e.from]+e.apart)
	}
	if pin := list[c].pin; pin > 0 {
		low = max(low, pin)
	}
	where := b.clusterName(&list[c])
	if low > high {
		bad.add(RuleStages, where, "pin nothing, or shorten what it waits for",
			"finds no room: what it waits for ends in stage %d, and it can be in none after stage %d", low-1, high)
		return
	}
	lacks, worst := map[Resource]int{}, Resource(0)
	for s := low; s <= high; s++ {
		d := b.demand(slices.Concat(stages[s-1], list[c].nodes))
		if r, short := d.short(); short {
			if lacks[r]++; lacks[r] > lacks[worst] || worst == r {
				worst = r
			}
		}
	}
	alone, full := b.demand(list[c].nodes), b.demand(slices.Concat(stages[low-1], list[c].nodes))
	room := fmt.Sprintf("stage %d", low)
	if high > low {
		room = fmt.Sprintf("stages %d to %d, %d of which lack %s; stage %d", low, high, lacks[worst], worst, low)
	}
	bad.add(worst.Rule(), where, "make passes of it: recirculate; or make it smaller",
		"finds no room in %s, which would need %d %s and has %d: %d for it, beside %s",
		room, full[worst], worst, worst.Limit(), alone[worst], b.holders(stages[low-1], worst))
}

// holders names what takes a resource of a stage.
func (b *builder) holders(stage []int, r Resource) string {
	var names []string
	for _, i := range stage {
		if d := b.demand([]int{i}); d[r] > 0 {
			names = append(names, b.nodes[i].name)
		}
	}
	if len(names) > 8 {
		names = append(names[:8], fmt.Sprintf("%d more", len(names)-8))
	}
	return cmp.Or(strings.Join(names, ", "), "nothing")
}
