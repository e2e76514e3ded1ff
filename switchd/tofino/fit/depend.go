package fit

import (
	"fmt"
	"slices"
)

// edge says that a node is in a later stage than another, or not in an earlier one.
type edge struct {
	from, to int // nodes, later clusters
	apart    int // 1: in a later stage; 0: not in an earlier one
	why      string
}

// dependencies compares every two nodes of a side. Reading by a match or a
// condition, reading by an action, and writing the same all need the next stage.
func (b *builder) dependencies() []edge {
	var edges []edge
	for to := range b.nodes {
		later := &b.nodes[to]
		for _, br := range later.path {
			edges = append(edges, edge{br.cond, to, 0, "inside"})
		}
		for from := range to {
			earlier := &b.nodes[from]
			if earlier.side != later.side || exclusive(earlier, later) {
				continue
			}
			if e, ok := b.between(earlier, later); ok {
				e.from, e.to = from, to
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// between returns the strongest dependency of a later node on an earlier one.
func (b *builder) between(earlier, later *node) (edge, bool) {
	if f := earlier.written.meets(later.matched); f >= 0 {
		return edge{apart: 1, why: "matches " + b.placeText(f)}, true
	}
	if f := earlier.written.meets(later.read); f >= 0 {
		return edge{apart: 1, why: "reads " + b.placeText(f)}, true
	}
	if f := earlier.written.meets(later.written); f >= 0 {
		return edge{apart: 1, why: "writes " + b.placeText(f) + " again"}, true
	}
	if f := later.written.meets(earlier.matched.union(earlier.read)); f >= 0 {
		return edge{apart: 0, why: "overwrites " + b.placeText(f)}, true
	}
	return edge{}, false
}

// placeText names a field or the validity of a header.
func (b *builder) placeText(f int) string {
	if f < len(b.Fields) {
		return b.Fields[f].Name
	}
	return "the validity of " + b.Headers[f-len(b.Fields)].Name
}

// cluster is what must be in one stage: tables of one register, and what lies
// between them.
type cluster struct {
	nodes []int
	pin   int
	in    []edge // from clusters
	out   []edge
}

// clusters joins nodes that must be in one stage: those of a register, and those
// that must not be later than each other in a circle.
func (b *builder) clusters(edges []edge) ([]cluster, []int) {
	all := slices.Clone(edges)
	first := map[place]int{}
	for i := range b.nodes {
		for _, p := range b.nodes[i].registers {
			f, ok := first[p]
			if !ok {
				first[p] = i
				continue
			}
			all = append(all, edge{from: f, to: i}, edge{from: i, to: f})
		}
	}
	clusterOf := components(len(b.nodes), all)
	list := make([]cluster, slices.Max(append(slices.Clone(clusterOf), -1))+1)
	for i, c := range clusterOf {
		list[c].nodes = append(list[c].nodes, i)
	}
	for i := range edges {
		e := edges[i]
		from, to := clusterOf[e.from], clusterOf[e.to]
		if from != to {
			e.from, e.to = from, to
			list[from].out = append(list[from].out, e)
			list[to].in = append(list[to].in, e)
		}
	}
	return list, clusterOf
}

// checkApart refuses clusters whose nodes must be in one stage and cannot, and
// settles their pins.
func (b *builder) checkApart(bad *refusals, list []cluster, clusterOf []int, edges []edge) {
	for _, e := range edges {
		if clusterOf[e.from] == clusterOf[e.to] && e.apart > 0 {
			bad.add(RuleApart, quoted("register", b.shared(list[clusterOf[e.from]].nodes)), "use a register each, or make them independent",
				"its tables must be in one stage, but %s %s, which %s writes, so that it must be later",
				b.nodes[e.to].name, e.why, b.nodes[e.from].name)
			return
		}
	}
	for i := range list {
		c := &list[i]
		for _, n := range c.nodes {
			switch pin := b.nodes[n].pin; {
			case pin == 0 || pin == c.pin:
			case c.pin == 0:
				c.pin = pin
			default:
				bad.add(RulePinned, quoted("register", b.shared(c.nodes)), "pin them to one stage",
					"its tables must be in one stage; %s is pinned to stage %d, another to %d", b.nodes[n].name, pin, c.pin)
			}
		}
	}
}

// shared names a register that joins nodes.
func (b *builder) shared(nodes []int) string {
	seen := map[place]bool{}
	for _, n := range nodes {
		for _, p := range b.nodes[n].registers {
			if seen[p] {
				return b.placeName(p)
			}
			seen[p] = true
		}
	}
	return ""
}

// components numbers the strongly connected components of a graph by their first
// nodes (Tarjan, "Depth-first search and linear graph algorithms", 1972).
func components(n int, edges []edge) []int {
	next := make([][]int, n)
	for _, e := range edges {
		next[e.from] = append(next[e.from], e.to)
	}
	t := tarjan{next: next, index: make([]int, n), low: make([]int, n), on: make([]bool, n), leader: make([]int, n)}
	for i := range n {
		if t.index[i] == 0 {
			t.visit(i)
		}
	}
	number, component := map[int]int{}, make([]int, n)
	for i := range n {
		if _, ok := number[t.leader[i]]; !ok {
			number[t.leader[i]] = len(number)
		}
		component[i] = number[t.leader[i]]
	}
	return component
}

type tarjan struct {
	next       [][]int
	index, low []int // index counts from 1; 0: not visited
	on         []bool
	leader     []int
	stack      []int
	count      int
}

func (t *tarjan) visit(v int) {
	t.count++
	t.index[v], t.low[v] = t.count, t.count
	t.stack = append(t.stack, v)
	t.on[v] = true
	for _, w := range t.next[v] {
		if t.index[w] == 0 {
			t.visit(w)
			t.low[v] = min(t.low[v], t.low[w])
		} else if t.on[w] {
			t.low[v] = min(t.low[v], t.index[w])
		}
	}
	if t.low[v] != t.index[v] {
		return
	}
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[w] = false
		t.leader[w] = v
		if w == v {
			return
		}
	}
}

// chain tells a way of dependencies: a -> b (reads x) -> c (matches y).
func (b *builder) chain(list []cluster, way []edge) string {
	if len(way) == 0 {
		return ""
	}
	text := b.clusterName(&list[way[0].from])
	for _, e := range way {
		text += fmt.Sprintf(" -> %s (%s)", b.clusterName(&list[e.to]), e.why)
	}
	return text
}

func (b *builder) clusterName(c *cluster) string { return b.nodes[c.nodes[0]].name }
