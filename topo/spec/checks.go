package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// tiers gives switches theirs: what the file says, or how many links they are from one with hosts.
func (r *resolver) tiers() {
	g := r.lab.Graph
	near := make([]int, len(g.Nodes)) // links to a switch with hosts, plus 1; 0: not known yet
	beside := make([][]int, len(g.Nodes))
	var queue []int
	for _, l := range g.Links {
		a, b := r.made[l.A.Node].index, r.made[l.B.Node].index
		beside[a], beside[b] = append(beside[a], b), append(beside[b], a)
		for _, pair := range [][2]int{{a, b}, {b, a}} {
			if g.Nodes[pair[0]].Kind == topo.Host && near[pair[1]] == 0 {
				near[pair[1]] = 1
				queue = append(queue, pair[1])
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, next := range beside[queue[0]] {
			if near[next] == 0 && g.Nodes[next].Kind == topo.Switch {
				near[next] = near[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == topo.Host {
			continue
		}
		n.Tier = max(0, near[i]-1)
		if said := r.tierOf(n.Name); said != nil {
			n.Tier = *said
		}
	}
}

// tierOf is what the file says of a node's tier, or nil.
func (r *resolver) tierOf(node string) *int {
	n := r.file.Nodes[node]
	return cmp.Or(n.Tier, r.known[n.Kind].Tier)
}

// impair changes links by pattern.
func (r *resolver) impair() {
	for i, a := range r.file.Impair {
		c, errs := a.Read(fmt.Sprintf("impair[%d]", i), r.Topology)
		if len(errs) == 0 {
			if err := c.Apply(r.lab.Graph, nil); err != nil {
				errs = append(errs, err)
			}
		}
		r.errs = append(r.errs, errs...)
	}
}

// faults reports what is wrong with the graph, where it stands. Nodes that links do not reach are no news
// where links were left out because of what else is wrong.
func (r *resolver) faults() {
	already := len(r.errs) > 0
	for _, err := range r.lab.Graph.Faults() {
		var f *topo.Fault
		if errors.As(err, &f) && !(f.Apart && already) && !r.said(f) {
			r.errs = append(r.errs, r.Wrong(r.pathOf(f), f.Err))
		}
	}
}

// said reports whether something is wrong already with what a fault is of.
func (r *resolver) said(f *topo.Fault) bool {
	switch {
	case f.Node >= 0:
		return r.made[r.lab.Graph.Nodes[f.Node].Name].bad
	case f.Link >= 0:
		return r.bad[f.Link]
	}
	return false
}

// pathOf is where a fault of the graph stands in the file.
func (r *resolver) pathOf(f *topo.Fault) string {
	switch {
	case f.Node >= 0:
		return "nodes." + r.lab.Graph.Nodes[f.Node].Name
	case f.Link >= 0:
		return fmt.Sprintf("links[%d]", r.from[f.Link])
	}
	return cmp.Or(f.Key, "nodes")
}

// schedule reads the changes of links in mid-run, and tries them.
func (r *resolver) schedule() {
	for i, f := range r.file.Schedule {
		path := fmt.Sprintf("schedule[%d]", i)
		e := linktext.Event{Path: path}
		var errs []error
		var err error
		if e.Time, err = linktext.Time(path, f.Time, r.Topology); err != nil {
			errs = append(errs, err)
		}
		if f.Link == nil {
			r.errs = append(r.errs, append(errs, r.Wrong(path, errors.New("nothing happens then: write which links become what, as in link: {at: h0, loss: 1%}")))...)
			continue
		}
		var wrong []error
		e.Change, wrong = f.Link.Read(path+".link", r.Topology)
		if _, err := e.Change.Becomes(); err != nil {
			wrong = append(wrong, err)
		}
		r.errs = append(r.errs, append(errs, wrong...)...)
		r.lab.Schedule = append(r.lab.Schedule, e)
	}
	slices.SortStableFunc(r.lab.Schedule, func(a, b linktext.Event) int { return cmp.Compare(a.Time, b.Time) })
	if len(r.errs) > 0 {
		return
	}
	if _, err := linktext.Course(r.lab.Graph, r.lab.Schedule); err != nil {
		r.errs = append(r.errs, err)
	}
}
