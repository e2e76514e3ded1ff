package manager

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Limits of trees.
const (
	MaxHosts   = 32 // workers, servers and PS: host ids have a bit for each (XAgg §IV-A)
	leastArity = 2
	mostArity  = 5 // of those chosen here (XAgg §V)
)

// Errors of [Plan].
var (
	ErrNoServer   = errors.New("no server can aggregate")
	ErrFewServers = errors.New("too few servers can aggregate")
	ErrManyHosts  = errors.New("too many hosts")
)

// Request says what tree is wanted.
type Request struct {
	PS      string // name of the parameter server
	Workers []Worker
	Servers []Server
	Model   units.Bytes
	K       int // most children of a node; 0 chooses 2 to 5
}

// validate checks names and numbers.
func (r *Request) validate() error {
	var errs []error
	if len(r.Workers) < 2 {
		errs = append(errs, fmt.Errorf("%d workers: there must be 2 or more", len(r.Workers)))
	}
	if r.K != 0 && (r.K < leastArity || r.K >= MaxHosts) {
		errs = append(errs, fmt.Errorf("k = %d children: %d to %d are possible, or 0 to choose", r.K, leastArity, MaxHosts-1))
	}
	if r.Model <= 0 {
		errs = append(errs, fmt.Errorf("model of %d bytes: it must be positive", int64(r.Model)))
	}
	names := map[string]bool{"": true}
	for _, name := range r.names() {
		if names[name] {
			errs = append(errs, fmt.Errorf("host %q is named twice, or not at all: give each host a name of its own", name))
		}
		names[name] = true
	}
	return errors.Join(errs...)
}

func (r *Request) names() []string {
	names := []string{r.PS}
	for i := range r.Workers {
		names = append(names, r.Workers[i].Name)
	}
	for i := range r.Servers {
		names = append(names, r.Servers[i].Name)
	}
	return names
}

// Plan builds the aggregation tree. Errors wrap [ErrNoServer] with why no server fits,
// [ErrFewServers] if a given k wants more, or [ErrManyHosts].
func Plan(r Request) (*Tree, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if n := len(r.Workers) + 1; n > MaxHosts {
		return nil, fmt.Errorf("%w: %d workers and the PS are %d hosts, and host ids have %d bits: take fewer workers", ErrManyHosts, len(r.Workers), n, MaxHosts)
	}
	fit, why := Candidates(r.Servers, r.Model)
	if len(fit) == 0 && (r.K == 0 || len(r.Workers) > r.K) {
		return nil, fmt.Errorf("%w: free one, add one, or train with the PS alone: %w", ErrNoServer, errors.Join(why...))
	}
	t, err := r.choose(fit)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// choose builds the tree of the given k, or of the least that works.
func (r *Request) choose(fit []Server) (*Tree, error) {
	first, last := leastArity, mostArity
	if r.K != 0 {
		first, last = r.K, r.K
	}
	var errs []error
	for k := first; k <= last; k++ {
		t, left := r.build(fit, k)
		if left > k {
			errs = append(errs, fmt.Errorf("%w: k = %d leaves %d nodes for the PS, with %d servers: add servers or enlarge k", ErrFewServers, k, left, len(fit)))
			continue
		}
		if n := len(t.nodes); n > MaxHosts {
			errs = append(errs, fmt.Errorf("%w: k = %d gives a tree of %d hosts, and host ids have %d bits: take fewer workers or a larger k", ErrManyHosts, k, n, MaxHosts))
			continue
		}
		return t, nil
	}
	if r.K != 0 || !errors.Is(errs[len(errs)-1], ErrFewServers) {
		return nil, errors.Join(errs...)
	}
	t, left := r.build(fit, mostArity)
	t.note = fmt.Sprintf("the PS has %d children, and k = %d: %d servers fit, and more would be used", left, mostArity, len(fit))
	if n := len(t.nodes); n > MaxHosts {
		return nil, fmt.Errorf("%w: the tree has %d hosts, and host ids have %d bits: take fewer workers", ErrManyHosts, n, MaxHosts)
	}
	return t, nil
}

// build makes the tree for k, and says how many children the PS has: more than k if servers are too
// few, also when groups that are not full wait.
func (r *Request) build(fit []Server, k int) (t *Tree, left int) {
	for _, partial := range []bool{true, false} {
		b := builder{tree: newTree(r, k), free: fit, k: k, partial: partial}
		if n := b.run(byTime(r.Workers)); t == nil || n < left {
			t, left = b.tree, n
		}
		if left <= k {
			break
		}
	}
	return t, left
}

// Height returns the levels of a k-ary tree over w workers, with workers and PS: the least h with
// w <= k^(h-1), which is ceil(1 + log_k w) (equation (2), XAgg §V). w and k are 2 or more.
func Height(k, w int) int {
	h := 1
	for reach := 1; reach < w; reach *= k {
		h++
	}
	return h
}

// Children returns how many children a server serves that has bandwidth own, where the first server
// has bandwidth first and k children: own over the reference rate first/k, rounded, halves down,
// at most k (XAgg §V).
func Children(own, first units.Rate, k int) int {
	// ceil(own/(first/k) - 1/2) = ceil((2*own*k - first) / (2*first))
	n := (2*own*units.Rate(k) - first + 2*first - 1) / (2 * first)
	return int(min(max(n, 0), units.Rate(k)))
}

// builder makes a tree from the workers up.
type builder struct {
	tree    *Tree
	free    []Server // in their order, not used yet
	first   units.Rate
	k       int
	partial bool // a group may have fewer children than its server can serve
}

// run builds layers until the PS can take what is left, or nothing changes.
func (b *builder) run(workers []Worker) (left int) {
	var layer []string
	for i := range workers {
		layer = append(layer, workers[i].Name)
		b.tree.add(workers[i].Name, WorkerRole)
	}
	if len(b.free) > 0 {
		b.first = b.free[0].Bandwidth
	}
	for len(layer) > b.k {
		next := b.layer(layer)
		if len(next) == len(layer) {
			break
		}
		layer = next
	}
	for _, name := range layer {
		b.tree.attach(name, b.tree.ps)
	}
	return len(layer)
}

// layer gives neighbours a server each, and passes up those for which there is none.
func (b *builder) layer(nodes []string) (next []string) {
	for len(nodes) > 0 {
		n := 0
		if len(b.free) > 0 {
			n = Children(b.free[0].Bandwidth, b.first, b.k)
		}
		if n > len(nodes) && b.partial {
			n = len(nodes)
		}
		if n < 2 || n > len(nodes) {
			return append(next, nodes...)
		}
		server := b.free[0]
		b.free = b.free[1:]
		b.tree.add(server.Name, ServerRole)
		for _, child := range slices.Clone(nodes[:n]) {
			b.tree.attach(child, server.Name)
		}
		nodes, next = nodes[n:], append(next, server.Name)
	}
	return next
}
