package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/topo"
)

// OnLab puts every system on a lab that is up: its topology file, and its graph with the links as they
// are now. They stay so: the scale divides the model alone, and what the scenario says of links
// at the start of a run does not hold.
func (s *Scenario) OnLab(file string, now *topo.Graph) error {
	for _, p := range append(slices.Clone(s.points), s) {
		p.upGraph = now
	}
	return s.SetTopology(file)
}

// graphOfLab is graph on a lab that is up.
func (s *Scenario) graphOfLab() (*topo.Graph, []job.LinkChange, error) {
	g := *s.upGraph
	g.Links = slices.Clone(g.Links)
	changes, err := s.linkChanges(&g, nil)
	if err != nil {
		return nil, nil, err
	}
	return &g, changes, g.Validate()
}

// LabGraph returns the topology of a lab that all systems of the scenario run on, scaled.
func (s *Scenario) LabGraph() (*topo.Graph, error) {
	if len(s.axes) > 0 {
		return nil, errors.New("a sweep needs more labs than one: set its values with --set 'sweep=[]'")
	}
	list, err := s.Graphs()
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("systems of %s run on %d topologies, and a lab has one: choose it with --topo, or set one system", s.Name, len(list))
	}
	s.scale(list[0].Graph)
	return list[0].Graph, nil
}
