package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// Shape is a topology by its generator.
type Shape struct {
	Generator string
	Params    gen.Params // counts alone
	Links     []LinkAt
}

// shape reads a topology.
func (r *resolver) shape(at string, f rawShape) Shape {
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
func (s *Scenario) workers(sys System) int { return cmp.Or(sys.Topology.Params.Hosts, s.Hosts) }

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
	p := shape.Params
	p.Hosts, p.MTU = hosts, s.MTU
	p.Link, p.Uplink, p.Fabric = s.Link, s.Uplink, s.Fabric
	g, err := gen.ByName(shape.Generator, p)
	if err != nil {
		return nil, nil, err
	}
	for _, at := range slices.Concat(s.Links, shape.Links) {
		if err := s.changeLinks(g, at, nil); err != nil {
			return nil, nil, err
		}
	}
	changes, err := s.linkChanges(g)
	if err != nil {
		return nil, nil, err
	}
	s.scale(g)
	return g, changes, g.Validate()
}

// changeLinks gives some links of a topology what a scenario says of them, and notes each
// direction that it changes; note may be nil.
func (s *Scenario) changeLinks(g *topo.Graph, at LinkAt, note func(from, to topo.End, spec topo.LinkSpec)) error {
	found, r := false, resolver{doc: s.doc}
	change := func(from, to topo.End, spec *topo.LinkSpec) {
		if matches(at.From, from.Node) && matches(at.To, to.Node) || at.Both && matches(at.From, to.Node) {
			*spec, found = r.link(at.at, at.given, *spec), true
			if note != nil {
				note(from, to, *spec)
			}
		}
	}
	for i := range g.Links {
		l := &g.Links[i]
		change(l.A, l.B, &l.AtoB)
		change(l.B, l.A, &l.BtoA)
	}
	if !found {
		return s.doc.wrong(at.at, fmt.Errorf("no link of topology %s is %s: its nodes are %s", g.Name, at, nodes(g)))
	}
	return errors.Join(r.errs...)
}

// String says which links are meant.
func (l LinkAt) String() string {
	if l.Both {
		return "at " + l.From
	}
	return fmt.Sprintf("from %s to %s", cmp.Or(l.From, "any"), cmp.Or(l.To, "any"))
}

// matches reports whether a node is one of a pattern; an empty one is any.
func matches(pattern, node string) bool {
	ok, err := path.Match(cmp.Or(pattern, "*"), node)
	return ok && err == nil
}

// nodes lists the nodes of a topology, of many the first and the last.
func nodes(g *topo.Graph) string {
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	return few(names)
}

// few joins names, of many the first and the last.
func few(names []string) string {
	if len(names) > 12 {
		names = slices.Concat(names[:6], []string{"..."}, names[len(names)-5:])
	}
	return strings.Join(names, ", ")
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
