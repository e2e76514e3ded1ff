package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// Header is what a written file says that a graph does not hold.
type Header struct {
	Description string
	Engine      string // of every switch; empty: none is named
	Comment     string // a line above all; empty: none
}

// Write writes a graph as a file from which [Read] and [Topology.Resolve] make the graph again. The names of
// PFEs and of their ports must be those that files give.
func Write(g *topo.Graph, h Header) []byte {
	w := &writer{g: g, engine: h.Engine, index: map[string]int{}}
	for i, n := range g.Nodes {
		w.index[n.Name] = i
	}
	if h.Comment != "" {
		w.line("# %s", h.Comment)
	}
	w.line("apiVersion: %s", APIVersion)
	w.line("kind: %s", FileKind)
	w.line("name: %s", flow(g.Name))
	if h.Description != "" {
		w.line("description: %s", flow(h.Description))
	}
	w.defaults()
	w.kinds()
	w.nodes()
	w.links()
	return []byte(w.String())
}

// writer writes line by line.
type writer struct {
	strings.Builder
	g      *topo.Graph
	index  map[string]int // of nodes
	engine string
	base   Base
	shapes []string // chassis kinds, as they are written
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// flow writes a value in one line.
func flow(v any) string {
	text, err := yaml.MarshalWithOptions(v, yaml.Flow(true))
	if err != nil {
		panic("writing a topology file: " + err.Error()) // plain structs have no error
	}
	return strings.TrimSpace(string(text))
}

// defaults writes what the first link of each sort is, so that links need not.
func (w *writer) defaults() {
	for _, l := range slices.Backward(w.g.Links) {
		if w.between(&l) {
			w.base.Uplink = l.AtoB
		} else {
			w.base.Link = l.AtoB
		}
	}
	for _, n := range slices.Backward(w.g.Nodes) {
		if n.Chassis != nil {
			w.base.Fabric = n.Chassis.Fabric
		}
	}
	links := slices.ContainsFunc(w.g.Links, func(l topo.Link) bool { return w.between(&l) })
	w.line("defaults:")
	before := w.Len()
	if w.g.MTU != 0 {
		w.line("  mtu: %d", w.g.MTU)
	}
	for _, d := range []struct {
		key  string
		link linktext.Link
		text string
	}{
		{"link", linktext.Of(w.base.Link, topo.LinkSpec{}), "every link, each way"},
		{"uplink", linktext.Of(w.base.Uplink, w.base.Link), "what differs between switches"},
		{"fabric", linktext.Of(w.base.Fabric, topo.LinkSpec{}), "between two PFEs of a chassis"},
	} {
		if !d.link.IsZero() && (d.key != "uplink" || links) {
			w.line("  %s: %s # %s", d.key, flow(d.link), d.text)
		}
	}
	if w.Len() == before {
		text := strings.TrimSuffix(w.String(), "defaults:\n")
		w.Reset()
		w.WriteString(text)
	}
}

// between reports whether a link joins two switches.
func (w *writer) between(l *topo.Link) bool {
	return !slices.ContainsFunc([]topo.End{l.A, l.B}, func(e topo.End) bool { return w.node(e.Node).Kind == topo.Host })
}

func (w *writer) node(name string) *topo.Node { return &w.g.Nodes[w.index[name]] }

// kinds writes a kind for each sort of chassis.
func (w *writer) kinds() {
	for i := range w.g.Nodes {
		shape := w.shape(&w.g.Nodes[i])
		if shape == "" || slices.Contains(w.shapes, shape) {
			continue
		}
		if w.shapes = append(w.shapes, shape); len(w.shapes) == 1 {
			w.line("kinds:")
		}
		w.line("  %s: %s", w.kindOf(shape), shape)
	}
}

// shape is what kind of chassis a node is; empty: it is none.
func (w *writer) shape(n *topo.Node) string {
	if n.Chassis == nil {
		return ""
	}
	k := Kind{Is: kindChassis, Traits: Traits{Engine: w.engine, Top: n.Chassis.PFEs[n.Chassis.Top].Name}}
	for _, p := range n.Chassis.PFEs {
		if last := len(k.Cards) - 1; last < 0 || *k.Cards[last].Slot != p.FPC {
			k.Cards = append(k.Cards, Card{Slot: &p.FPC, Ports: len(p.Ports)})
		}
		k.Cards[len(k.Cards)-1].PFEs++
	}
	for i := range k.Cards {
		if *k.Cards[i].Slot == i {
			k.Cards[i].Slot = nil
		}
	}
	if f := linktext.Of(n.Chassis.Fabric, w.base.Fabric); !f.IsZero() {
		k.Fabric = &f
	}
	return flow(k)
}

// kindOf names a kind of chassis.
func (w *writer) kindOf(shape string) string {
	if i := slices.Index(w.shapes, shape); i > 0 {
		return fmt.Sprintf("router%d", i+1)
	}
	return "router"
}

// nodes writes the nodes, with tiers and ports where a reader would not find the same.
func (w *writer) nodes() {
	w.line("nodes:")
	plain := w.plain()
	for i := range w.g.Nodes {
		n := &w.g.Nodes[i]
		out := Node{Kind: string(n.Kind)}
		switch {
		case n.Chassis != nil:
			out.Kind = w.kindOf(w.shape(n))
		case n.Kind == topo.Switch:
			out.Engine = w.engine
		}
		if n.Tier != plain[i].Tier {
			out.Tier = &n.Tier
		}
		if n.Chassis == nil && n.Kind == topo.Switch && !slices.Equal(n.Ports, plain[i].Ports) {
			out.Ports = n.Ports
		}
		w.line("  %s: %s", flow(n.Name), flow(out))
	}
}

// plain returns the nodes as a reader finds them by the links alone.
func (w *writer) plain() []topo.Node {
	r := &resolver{Topology: &Topology{}, lab: &Lab{Graph: &topo.Graph{Links: w.g.Links}}, made: map[string]*made{}}
	for i, n := range w.g.Nodes {
		r.made[n.Name] = &made{index: i}
		r.lab.Graph.Nodes = append(r.lab.Graph.Nodes, topo.Node{Name: n.Name, Kind: n.Kind})
	}
	for _, l := range w.g.Links {
		for _, e := range []topo.End{l.A, l.B} {
			at := &r.lab.Graph.Nodes[r.made[e.Node].index]
			at.Ports = append(at.Ports, e.Port)
		}
	}
	r.tiers()
	return r.lab.Graph.Nodes
}

// links writes the links. A host has one port, which need not be named.
func (w *writer) links() {
	w.line("links:")
	for i := range w.g.Links {
		l := &w.g.Links[i]
		base := w.base.Link
		if w.between(l) {
			base = w.base.Uplink
		}
		out := Link{
			Endpoints: []Endpoint{Endpoint(w.end(l.A)), Endpoint(w.end(l.B))},
			Both:      linktext.Of(l.AtoB, base), BtoA: linktext.Of(l.BtoA, l.AtoB),
		}
		w.line("  - %s", flow(out))
	}
}

func (w *writer) end(e topo.End) string {
	if w.node(e.Node).Kind == topo.Host {
		return e.Node
	}
	return e.String()
}
