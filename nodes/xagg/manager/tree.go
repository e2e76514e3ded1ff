package manager

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Role is what a node does.
type Role uint8

// The roles.
const (
	WorkerRole Role = iota
	ServerRole
	PSRole
)

// node is a node of a tree.
type node struct {
	name     string
	role     Role
	parent   string
	children []string
}

// Tree is an aggregation tree.
type Tree struct {
	ps      string
	k       int
	note    string
	nodes   []node
	request Request
}

func newTree(r *Request, k int) *Tree {
	t := &Tree{ps: r.PS, k: k, request: *r}
	t.add(r.PS, PSRole)
	return t
}

// PS returns the name of the root.
func (t *Tree) PS() string { return t.ps }

// K returns the most children of a node when the tree was planned.
func (t *Tree) K() int { return t.k }

// Note returns what a user should know of the tree, or nothing.
func (t *Tree) Note() string { return t.note }

// Parent returns the parent of a node; empty of the PS and of unknown names.
func (t *Tree) Parent(name string) string {
	if n := t.find(name); n != nil {
		return n.parent
	}
	return ""
}

// Children returns the children of a node, in the order of the tree. The slice is the caller's.
func (t *Tree) Children(name string) []string {
	if n := t.find(name); n != nil {
		return slices.Clone(n.children)
	}
	return nil
}

// Servers returns the aggregators, in the order of the tree.
func (t *Tree) Servers() []string { return t.named(ServerRole) }

// Workers returns the workers, the slowest first.
func (t *Tree) Workers() []string { return t.named(WorkerRole) }

func (t *Tree) named(role Role) (names []string) {
	for i := range t.nodes {
		if t.nodes[i].role == role {
			names = append(names, t.nodes[i].name)
		}
	}
	return names
}

// Height returns the levels of the tree, with workers and PS.
func (t *Tree) Height() int { return t.levels(t.ps) }

func (t *Tree) levels(name string) int {
	most := 0
	for _, c := range t.find(name).children {
		most = max(most, t.levels(c))
	}
	return most + 1
}

// String writes the tree from the PS down, with children in parentheses.
func (t *Tree) String() string { return t.text(t.ps) }

func (t *Tree) text(name string) string {
	var parts []string
	for _, c := range t.find(name).children {
		parts = append(parts, t.text(c))
	}
	if len(parts) == 0 {
		return name
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(parts, " "))
}

func (t *Tree) find(name string) *node {
	for i := range t.nodes {
		if t.nodes[i].name == name {
			return &t.nodes[i]
		}
	}
	return nil
}

// add lets a node in.
func (t *Tree) add(name string, role Role) {
	t.nodes = append(t.nodes, node{name: name, role: role})
}

// attach makes a node the last child of a parent.
func (t *Tree) attach(name, parent string) {
	n := t.find(name)
	if old := t.find(n.parent); old != nil {
		old.children = slices.DeleteFunc(old.children, func(c string) bool { return c == name })
	}
	n.parent = parent
	p := t.find(parent)
	p.children = append(p.children, name)
}

// remove takes a server out; its children take its place among those of its parent. It returns
// them.
func (t *Tree) remove(name string) (moved []Move) {
	n := *t.find(name)
	p := t.find(n.parent)
	at := slices.Index(p.children, name)
	p.children = slices.Replace(p.children, at, at+1, n.children...)
	for _, c := range n.children {
		t.find(c).parent = n.parent
		moved = append(moved, Move{Node: c, From: name, To: n.parent})
	}
	t.nodes = slices.DeleteFunc(t.nodes, func(n node) bool { return n.name == name })
	return moved
}

// byName orders moves for reports.
func byName(a, b Move) int { return cmp.Compare(a.Node, b.Node) }
