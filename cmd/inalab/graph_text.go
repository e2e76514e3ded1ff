package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/topo"
)

// linkLabel says what a link is, each way where the ways differ.
func linkLabel(l *topo.Link) string {
	there, back := specLabel(l.AtoB), specLabel(l.BtoA)
	if there == back {
		return there
	}
	return fmt.Sprintf("%s to %s, %s to %s", there, l.B.Node, back, l.A.Node)
}

func specLabel(s topo.LinkSpec) string {
	var words []string
	if s.Rate > 0 {
		words = append(words, s.Rate.String())
	}
	if s.Delay > 0 {
		words = append(words, s.Delay.String())
	}
	if s.Loses() {
		words = append(words, "loses frames")
	}
	if s.Reorder > 0 {
		words = append(words, "reorders")
	}
	if s.Duplicate > 0 {
		words = append(words, "duplicates")
	}
	return strings.Join(words, " ")
}

// writeDot writes a graph for Graphviz.
func writeDot(w io.Writer, g *topo.Graph) error {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q {\n  rankdir=BT\n  node [fontname=\"sans-serif\"]\n  edge [fontname=\"sans-serif\" fontsize=9]\n", g.Name)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Chassis != nil:
			var pfes []string
			for k, p := range n.Chassis.PFEs {
				name := p.Name
				if k == n.Chassis.Top {
					name += " (top)"
				}
				pfes = append(pfes, fmt.Sprintf("<%s> %s", p.Name, name))
			}
			fmt.Fprintf(&b, "  %q [shape=record label=\"{%s|{%s}}\"]\n", n.Name, n.Name, strings.Join(pfes, "|"))
		case n.Kind == topo.Switch:
			fmt.Fprintf(&b, "  %q [shape=box style=\"rounded,filled\" fillcolor=\"#f4f6f8\"]\n", n.Name)
		default:
			fmt.Fprintf(&b, "  %q [shape=box]\n", n.Name)
		}
	}
	for i := range g.Links {
		l := &g.Links[i]
		fmt.Fprintf(&b, "  %s -- %s [label=%q]\n", dotEnd(g, l.A), dotEnd(g, l.B), linkLabel(l))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotEnd is a node, or the PFE of a chassis that has the port.
func dotEnd(g *topo.Graph, e topo.End) string {
	if pfe := pfeOf(g, e); pfe != "" {
		return fmt.Sprintf("%q:%s", e.Node, pfe)
	}
	return fmt.Sprintf("%q", e.Node)
}

// pfeOf names the PFE that has a port; empty: the node is no chassis.
func pfeOf(g *topo.Graph, e topo.End) string {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Name == e.Node && n.Chassis != nil {
			for _, p := range n.Chassis.PFEs {
				for _, port := range p.Ports {
					if port == e.Port {
						return p.Name
					}
				}
			}
		}
	}
	return ""
}

// writeMermaid writes a graph for Markdown pages.
func writeMermaid(w io.Writer, g *topo.Graph) error {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Chassis != nil:
			fmt.Fprintf(&b, "  subgraph %s\n", n.Name)
			for k, p := range n.Chassis.PFEs {
				label := p.Name
				if k == n.Chassis.Top {
					label += ", top level"
				}
				fmt.Fprintf(&b, "    %s.%s[%q]\n", n.Name, p.Name, label)
			}
			b.WriteString("  end\n")
		case n.Kind == topo.Switch:
			fmt.Fprintf(&b, "  %s[[%s]]\n", n.Name, n.Name)
		default:
			fmt.Fprintf(&b, "  %s(%s)\n", n.Name, n.Name)
		}
	}
	for i := range g.Links {
		l := &g.Links[i]
		label := linkLabel(l)
		if label != "" {
			label = fmt.Sprintf("|%q|", label)
		}
		fmt.Fprintf(&b, "  %s ---%s %s\n", mermaidEnd(g, l.A), label, mermaidEnd(g, l.B))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mermaidEnd(g *topo.Graph, e topo.End) string {
	if pfe := pfeOf(g, e); pfe != "" {
		return e.Node + "." + pfe
	}
	return e.Node
}
