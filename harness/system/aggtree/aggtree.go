package aggtree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// Kind says how a tree is chosen. The words are those of knobs.
type Kind string

// The kinds.
const (
	KAry    Kind = "kary"
	Testbed Kind = "testbed"
	Star    Kind = "star"
)

// Kinds returns the words of all kinds.
func Kinds() []string { return []string{string(KAry), string(Testbed), string(Star)} }

// Limits of the most children of a node of [KAry] (nodes/xagg/manager).
const (
	LeastK = 2
	MostK  = manager.MaxHosts - 1
)

// DefaultK is the most children of a node, where nobody says: that of the paper's testbed (Fig 12).
const DefaultK = 3

// None is the parent of the PS, and of a server that the tree does not use.
const None = -1

// Tree is an aggregation tree over the hosts of a job.
type Tree struct {
	Workers int
	Parents []int // by host; [None]: it has none
}

// PS returns the host of the parameter server, which is the root: the last one.
func (t Tree) PS() int { return len(t.Parents) - 1 }

// Children returns the hosts whose parent a host is, in ascending order.
func (t Tree) Children(host int) (out []int) {
	for h, p := range t.Parents {
		if p == host && p != None {
			out = append(out, h)
		}
	}
	return out
}

// Idle reports whether the tree does not use a host.
func (t Tree) Idle(host int) bool { return host != t.PS() && t.Parents[host] == None }

// Height returns the levels of the tree, with workers and PS: 2 of a star.
func (t Tree) Height() int {
	most := 0
	for w := range t.Workers {
		n := 1
		for h := w; h != t.PS(); h = t.Parents[h] {
			n++
		}
		most = max(most, n)
	}
	return most
}

// String writes the tree from the PS down, with children in parentheses: "ps(s1(w1 w2) w3)".
func (t Tree) String() string { return t.text(t.PS()) }

func (t Tree) text(host int) string {
	name := "ps"
	switch {
	case host < t.Workers:
		return "w" + strconv.Itoa(host+1)
	case host != t.PS():
		name = "s" + strconv.Itoa(host-t.Workers+1)
	}
	var below []string
	for _, c := range t.Children(host) {
		below = append(below, t.text(c))
	}
	return name + "(" + strings.Join(below, " ") + ")"
}

// Servers returns how many hosts a tree of a kind needs beside those of so many workers, the PS
// included: 1 where [Choose] refuses the kind.
func Servers(kind Kind, workers, k int) int {
	least, err := least(kind, workers, k)
	if err != nil {
		return 1
	}
	return len(least.Parents) - workers
}

// Choose returns the tree of a kind over the hosts of so many workers, and so many of servers, the
// PS included; what it does not need is idle. K is the most children of a node of [KAry], and
// other kinds do not look at it.
func Choose(kind Kind, workers, servers, k int) (Tree, error) {
	t, err := least(kind, workers, k)
	if err != nil {
		return Tree{}, fmt.Errorf("choosing an aggregation tree: %w", err)
	}
	need := len(t.Parents) - workers
	if servers < need {
		return Tree{}, fmt.Errorf("choosing an aggregation tree: %q over %d workers takes %d hosts for servers, the PS included, but there are %d: add hosts, or choose %q, which takes 1", kind, workers, need, servers, Star)
	}
	return t.spread(servers - need), nil
}

// spread returns the tree with so many idle servers before the PS.
func (t Tree) spread(idle int) Tree {
	ps, parents := t.PS(), slices.Clone(t.Parents)
	for h, p := range parents {
		if p == ps {
			parents[h] += idle
		}
	}
	return Tree{Workers: t.Workers, Parents: slices.Insert(parents, ps, slices.Repeat([]int{None}, idle)...)}
}

// least returns the tree of a kind with no more servers than it needs.
func least(kind Kind, workers, k int) (Tree, error) {
	switch {
	case workers < 1:
		return Tree{}, fmt.Errorf("%d workers: there must be one", workers)
	case kind == KAry && (k < LeastK || k > MostK):
		return Tree{}, fmt.Errorf("k = %d children: %d to %d are possible", k, LeastK, MostK)
	case kind == KAry && workers > k:
		return kary(workers, k)
	case kind == KAry, kind == Star:
		return groups(workers, 0), nil
	case kind == Testbed:
		return groups(workers, testbedServers), nil
	}
	return Tree{}, fmt.Errorf("kind %q: allowed are %s%s", kind, strings.Join(Kinds(), ", "), suggest.DidYouMean(string(kind), Kinds()))
}

// The paper's testbed (XAgg §VI-C, Fig 12).
const (
	testbedServers = 2
	testbedGroup   = 3
)

// groups returns a tree of as many of so many servers as get a worker, with three of them each, but
// for the last, and all other workers on the PS.
func groups(workers, servers int) Tree {
	servers = min(servers, (workers+testbedGroup-1)/testbedGroup)
	ps := workers + servers
	t := Tree{Workers: workers, Parents: slices.Repeat([]int{ps}, ps+1)}
	t.Parents[ps] = None
	for w := range min(workers, servers*testbedGroup) {
		t.Parents[w] = workers + w/testbedGroup
	}
	return t
}

// kary returns the manager's tree of more than k workers.
func kary(workers, k int) (Tree, error) {
	r := manager.Request{PS: "ps", Model: 1, K: k}
	index := map[string]int{}
	for w := range workers {
		r.Workers = append(r.Workers, manager.Worker{Name: name("w", w)})
		r.Servers = append(r.Servers, manager.Server{Name: name("s", w), Bandwidth: units.GbitPerSecond, Cores: 1, Memory: units.GiB})
		index[name("w", w)] = w
	}
	plan, err := manager.Plan(r)
	if err != nil {
		return Tree{}, err
	}
	for i, s := range plan.Servers() {
		index[s] = workers + i
	}
	index["ps"] = workers + len(plan.Servers())
	t := Tree{Workers: workers, Parents: slices.Repeat([]int{None}, index["ps"]+1)}
	for node, h := range index {
		if p := plan.Parent(node); p != "" {
			t.Parents[h] = index[p]
		}
	}
	return t, nil
}

// name returns a name whose order is that of the numbers: equal workers and servers go by name.
func name(letter string, i int) string { return fmt.Sprintf("%s%06d", letter, i) }
