package scenarios

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/linktext"
)

// Shape is a topology by its generator, or by a file.
type Shape struct {
	Generator string
	File      *TopologyFile // nil: it has a generator
	Params    gen.Params    // counts alone
	Links     []linktext.Change
}

// shape reads a topology.
func (r *resolver) shape(at string, f *rawShape) Shape {
	if f.File != "" {
		return Shape{File: r.topologyFile(at, f), Links: r.linksAt(at+".links", f.Links)}
	}
	s := Shape{Generator: f.Generator, Links: r.linksAt(at+".links", f.Links), Params: gen.Params{
		Leaves: f.Leaves, Spines: f.Spines, Racks: f.Racks, Depth: f.Depth, FanOut: f.FanOut,
	}}
	where := at + ".generator"
	if f.word {
		where = at
	}
	r.oneOf(where, f.Generator, gen.Names()...)
	if f.Hosts != 0 {
		s.Params.Hosts = r.between(at+".hosts", f.Hosts, 2, topo.MaxHosts)
	}
	return s
}

// workers returns how many workers a system has.
func (s *Scenario) workers(sys System) int {
	if sys.Topology.File != nil {
		return s.workersOn(sys)
	}
	return cmp.Or(sys.Topology.Params.Hosts, s.Hosts)
}

// servers returns how many hosts a system needs beside its workers. Those of several jobs are among
// the hosts that there are.
func (s *Scenario) servers(sys System) int {
	if len(s.Tenants) > 0 {
		return 0
	}
	return job.Servers(sys.System, s.workers(sys))
}

// graph returns one of the scenario's topologies with so many hosts, scaled, and how its links
// change during the run.
func (s *Scenario) graph(shape Shape, hosts int) (*topo.Graph, []job.LinkChange, error) {
	if s.upGraph != nil {
		return s.graphOfLab()
	}
	g, events, err := s.unscaled(shape, hosts)
	if err != nil {
		return nil, nil, err
	}
	for _, at := range slices.Concat(s.Links, shape.Links) {
		if err := at.Apply(g, nil); err != nil {
			return nil, nil, err
		}
	}
	changes, err := s.linkChanges(g, events)
	if err != nil {
		return nil, nil, err
	}
	s.scale(g)
	return g, changes, g.Validate()
}

// unscaled returns a graph without the changes of the scenario, and those that its file asks for in mid-run.
func (s *Scenario) unscaled(shape Shape, hosts int) (*topo.Graph, []linktext.Event, error) {
	if shape.File != nil {
		lab, err := shape.File.Resolve(s.base())
		if err != nil {
			return nil, nil, err
		}
		return lab.Graph, lab.Schedule, nil
	}
	p := shape.Params
	p.Hosts, p.MTU = hosts, s.MTU
	p.Link, p.Uplink, p.Fabric = s.Link, s.Uplink, s.Fabric
	g, err := gen.ByName(shape.Generator, p)
	return g, nil, err
}

// String names the shape.
func (s Shape) String() string {
	if s.File != nil {
		return s.File.Source().Name
	}
	return s.Generator
}

// scale divides the rates, queues and thresholds of a topology; times and losses stay.
func (s *Scenario) scale(g *topo.Graph) {
	for i := range g.Links {
		g.Links[i].AtoB, g.Links[i].BtoA = s.scaled(g.Links[i].AtoB), s.scaled(g.Links[i].BtoA)
	}
	for i := range g.Nodes {
		if c := g.Nodes[i].Chassis; c != nil {
			c.Fabric = s.scaled(c.Fabric)
		}
	}
}

func (s *Scenario) scaled(l topo.LinkSpec) topo.LinkSpec {
	if s.upGraph != nil {
		return l
	}
	if l.Rate > 0 {
		l.Rate = max(1, l.Rate/units.Rate(s.Scale))
	}
	for _, b := range []*units.Bytes{&l.Queue, &l.Marking.Min, &l.Marking.Max} {
		if *b > 0 {
			*b = max(1, *b/units.Bytes(s.Scale))
		}
	}
	return l
}
