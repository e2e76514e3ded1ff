package scenarios

import (
	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// DefaultLinks returns what links, and paths between PFEs, are where a scenario says nothing of them.
func DefaultLinks() (link, fabric topo.LinkSpec) {
	var said struct{ Link, Fabric linktext.Link }
	if err := yaml.Unmarshal(defaults, &said); err != nil {
		panic("reading the defaults of scenarios: " + err.Error()) // they are part of the program
	}
	link, _ = said.Link.Spec("link", topo.LinkSpec{}, nil)
	fabric, _ = said.Fabric.Spec("fabric", topo.LinkSpec{}, nil)
	return link, fabric
}

// Graph is a topology that a system of a scenario runs on, at full scale and at the start of a run.
type Graph struct {
	System string
	*topo.Graph
}

// Graphs returns the topologies of the first point, each once, with the first system that runs there.
func (s *Scenario) Graphs() (out []Graph, err error) {
	full := *s.Points()[0]
	full.Scale = 1
	known := map[string]bool{}
	for _, sys := range full.Systems {
		g, _, err := full.graph(sys.Topology, full.workers(sys)+full.servers(sys))
		if err != nil && sys.IfPossible {
			continue
		}
		if err != nil {
			return nil, err
		}
		if name := sys.Topology.String(); !known[name] {
			known[name] = true
			out = append(out, Graph{full.ran(sys), g})
		}
	}
	return out, nil
}
