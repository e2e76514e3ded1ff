package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/netfigure"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// graphFormats write a graph.
var graphFormats = []struct {
	name  string
	write func(io.Writer, *topo.Graph) error
}{
	{"dot", writeDot},
	{"mermaid", writeMermaid},
	{"svg", writeSVG},
}

func newGraph() *cobra.Command {
	var format, system string
	c := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw a topology",
		Long: `Draws the topology of a *.topo.yaml file, of a scenario, or of a shape by its name, to
standard output. "-" reads a file from standard input. The picture (svg) is one file
that needs no other; dot is for Graphviz, and mermaid for Markdown pages.

Of a scenario whose systems run on several topologies the first is drawn; --system
names another.`,
		Example: `  inalab graph lab.topo.yaml > lab.svg
  inalab graph mx480 --format mermaid
  inalab generate tree --depth 3 --fan-out 2 --hosts 8 | inalab graph - > tree.svg`,
		Args: arguments(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return slices.Concat(gen.Names(), scenarios.Names()), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			i := slices.Index(graphFormatNames(), format)
			if i < 0 {
				return usage(fmt.Errorf("--format %q: allowed are %s%s", format, strings.Join(graphFormatNames(), ", "), suggest.DidYouMean(format, graphFormatNames())))
			}
			g, err := graphOf(args[0], system, c.InOrStdin())
			if err != nil {
				return usage(err)
			}
			return graphFormats[i].write(c.OutOrStdout(), g)
		},
	}
	c.Flags().StringVar(&format, "format", "svg", "of the drawing: "+strings.Join(graphFormatNames(), ", "))
	c.Flags().StringVar(&system, "system", "", "of a scenario: the system whose topology is drawn")
	return c
}

func graphFormatNames() (out []string) {
	for _, f := range graphFormats {
		out = append(out, f.name)
	}
	return out
}

// graphOf returns the graph of a shape, of a scenario of the catalogue, or of a file.
func graphOf(name, system string, stdin io.Reader) (*topo.Graph, error) {
	switch {
	case slices.Contains(gen.Names(), name):
		return shapeGraph(name)
	case slices.Contains(scenarios.Names(), name):
		text, err := scenarios.Embedded(name)
		if err != nil {
			return nil, err
		}
		return scenarioGraph(name, text, system)
	}
	text, called, err := readInput(name, stdin)
	if errors.Is(err, os.ErrNotExist) || err != nil && !strings.Contains(name, ".") && name != standardInput {
		known := slices.Concat(gen.Names(), scenarios.Names())
		return nil, fmt.Errorf("%s: there is no such file, shape or scenario: shapes are %s%s", name, strings.Join(gen.Names(), ", "), suggest.DidYouMean(name, known))
	}
	if err != nil {
		return nil, err
	}
	isTopology, err := topologyText(called, text)
	if err != nil {
		return nil, err
	}
	if !isTopology {
		return scenarioGraph(called, text, system)
	}
	lab, err := resolveTopology(called, text)
	if err != nil {
		return nil, err
	}
	return lab.Graph, nil
}

// shapeGraph returns a shape with the links that scenarios have, and the fewest counts that it can have.
func shapeGraph(name string) (*topo.Graph, error) {
	var p gen.Params
	p.Link, p.Fabric = scenarios.DefaultLinks()
	p.Uplink = p.Link
	g := gen.All()[slices.Index(gen.Names(), name)]
	for _, n := range p.Counts() {
		if slices.Contains(g.Needs, n.Name) {
			*n.N = 2
		}
	}
	return gen.ByName(name, p)
}

// scenarioGraph returns the topology of a system of a scenario.
func scenarioGraph(name string, text []byte, system string) (*topo.Graph, error) {
	s, err := scenarios.Load(scenarios.Source{Name: name, Text: text}, systems())
	if err != nil {
		return nil, err
	}
	graphs, err := s.Graphs()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range graphs {
		if names = append(names, g.System); system == "" || g.System == system {
			return g.Graph, nil
		}
	}
	return nil, fmt.Errorf("--system %q: topologies of %s are those of %s%s", system, name, strings.Join(names, ", "), suggest.DidYouMean(system, names))
}

// writeSVG draws a graph as one picture.
func writeSVG(w io.Writer, g *topo.Graph) error {
	n, err := netOf(g)
	if err != nil {
		return err
	}
	return figure.WriteDrawing(w, netfigure.DrawLinks("topology", "topology "+g.Name, n))
}

// netOf is a graph as drawings have it.
func netOf(g *topo.Graph) (netfigure.Net, error) {
	p, err := plan.New(g)
	if err != nil {
		return netfigure.Net{}, err
	}
	text, err := json.Marshal(map[string]any{g.Name: p})
	if err != nil {
		return netfigure.Net{}, err
	}
	nets, err := netfigure.Decode(text)
	return nets[g.Name], err
}
