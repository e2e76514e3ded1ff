package manager

import (
	"cmp"
	"fmt"
	"slices"
)

// Move is a node that gets another parent.
type Move struct {
	Node, From, To string
}

// Change is what became of a tree.
type Change struct {
	Out, In []string // servers that left and joined
	Moves   []Move   // by the name of the node; servers that join come with a move from ""
	Why     []string // for users, a line for each server that left
	Resend  []string // nodes that send their gradient again; none between iterations
}

// Fail removes a server that died or is overloaded in mid-iteration. Its children go to its parent,
// in the same places, and send all again (XAgg §V). The parent may have more than k children until
// the next [Tree.Adjust]. The error says why a node cannot be removed.
func (t *Tree) Fail(name, why string) (Change, error) {
	n := t.find(name)
	if n == nil {
		return Change{}, fmt.Errorf("server %q fails: it is not in the tree %v", name, t)
	}
	if n.role != ServerRole {
		return Change{}, fmt.Errorf("host %q fails: only a server can be removed from a tree, and it is a worker or the PS: end the job", name)
	}
	c := Change{Out: []string{name}, Resend: slices.Clone(n.children), Why: []string{fmt.Sprintf("%s left: %s", name, why)}}
	c.Moves = t.remove(name)
	slices.SortFunc(c.Moves, byName)
	return c, nil
}

// Adjust looks at the load of servers between iterations. Where a server has more children than it
// serves, as after failures, unused candidates take groups of them. A server in the tree that did not
// report, does not fit any more or still cannot serve its children leaves: its place goes to the best
// unused candidate that can serve them, or its children go to its parent. Where the PS has more than k
// children, unused candidates take groups of them. It reports whether anything changed.
func (t *Tree) Adjust(servers []Server) (Change, bool) {
	fit, _ := Candidates(servers, t.request.Model)
	before := t.parents()
	var c Change
	for _, name := range t.bottomUp() {
		t.relieve(name, fit)
	}
	for _, name := range t.bottomUp() {
		if why := t.unfit(name, servers, fit); why != "" {
			c.Why = append(c.Why, fmt.Sprintf("%s left: %s", name, why))
			c.Out = append(c.Out, name)
			t.replace(name, t.unused(fit, c.Out), fit)
		}
	}
	t.widen(t.ps, t.k, t.unused(fit, c.Out), fit)
	c.Moves = t.moves(before)
	c.In = t.joined(before)
	if len(c.Moves) == 0 && len(c.Out) == 0 {
		return Change{}, false
	}
	return c, true
}

// unfit says why a server of the tree has to leave; empty if it stays.
func (t *Tree) unfit(name string, servers, fit []Server) string {
	at := slices.IndexFunc(servers, func(s Server) bool { return s.Name == name })
	if at < 0 {
		return "it reported no load"
	}
	if err := servers[at].Fits(t.request.Model); err != nil {
		return err.Error()
	}
	if n, serves := len(t.find(name).children), t.serves(&servers[at], fit); serves < n {
		return fmt.Sprintf("its %v serve %d children, and it has %d", servers[at].Bandwidth, serves, n)
	}
	return ""
}

// serves returns how many children a server can have, by the bandwidth of the best one.
func (t *Tree) serves(s *Server, fit []Server) int {
	return Children(s.Bandwidth, fit[0].Bandwidth, t.k)
}

// unused returns the candidates that are not in the tree and did not just leave.
func (t *Tree) unused(fit []Server, out []string) []Server {
	var free []Server
	for i := range fit {
		if t.find(fit[i].Name) == nil && !slices.Contains(out, fit[i].Name) {
			free = append(free, fit[i])
		}
	}
	return free
}

// replace puts the best of some servers in the place of another, or removes that.
func (t *Tree) replace(name string, free, fit []Server) {
	n := t.find(name)
	if len(free) == 0 || t.serves(&free[0], fit) < len(n.children) {
		t.remove(name)
		return
	}
	children, parent := slices.Clone(n.children), n.parent
	at := slices.Index(t.find(parent).children, name)
	t.remove(name)
	t.add(free[0].Name, ServerRole)
	for _, c := range children {
		t.attach(c, free[0].Name)
	}
	p := t.find(parent)
	p.children = slices.Insert(p.children, at, free[0].Name)
	t.find(free[0].Name).parent = parent
}

// relieve has unused servers take children of one that fits and has too many.
func (t *Tree) relieve(name string, fit []Server) {
	if at := slices.IndexFunc(fit, func(s Server) bool { return s.Name == name }); at >= 0 {
		if most := t.serves(&fit[at], fit); most >= 2 {
			t.widen(name, most, t.unused(fit, nil), fit)
		}
	}
}

// widen gives children of a node with more than some to servers that are free. The node keeps two
// children or more.
func (t *Tree) widen(name string, most int, free, fit []Server) {
	for len(free) > 0 && len(t.find(name).children) > most && len(t.nodes) < MaxHosts {
		n := min(t.serves(&free[0], fit), len(t.find(name).children)-1)
		if n < 2 {
			return
		}
		group := t.Children(name)[:n]
		t.add(free[0].Name, ServerRole)
		for _, c := range group {
			t.attach(c, free[0].Name)
		}
		t.attach(free[0].Name, name)
		free = free[1:]
	}
}

// bottomUp returns the servers, those far from the PS first: what one leaves its parent counts there.
func (t *Tree) bottomUp() []string {
	names := t.Servers()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(t.levels(a), t.levels(b)) })
	return names
}

// parents returns the parent of every node by name.
func (t *Tree) parents() map[string]string {
	m := map[string]string{}
	for i := range t.nodes {
		m[t.nodes[i].name] = t.nodes[i].parent
	}
	return m
}

// moves returns the nodes whose parent is another than before.
func (t *Tree) moves(before map[string]string) (moves []Move) {
	for i := range t.nodes {
		n := &t.nodes[i]
		if before[n.name] != n.parent {
			moves = append(moves, Move{Node: n.name, From: before[n.name], To: n.parent})
		}
	}
	slices.SortFunc(moves, byName)
	return moves
}

// joined returns the servers that were not there before.
func (t *Tree) joined(before map[string]string) (names []string) {
	for _, name := range t.Servers() {
		if _, was := before[name]; !was {
			names = append(names, name)
		}
	}
	return names
}
