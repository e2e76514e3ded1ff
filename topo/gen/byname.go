package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
)

// Params holds what any generator may be given. A count of zero is left to the
// generator's default; a count that the topology has no use for is an error.
// Link applies to all, Uplink to those with links between switches, Fabric to those
// with chassis.
type Params struct {
	Hosts        int // in the whole topology
	Leaves       int
	Spines       int
	HostsPerLeaf int // instead of Hosts or in agreement with it
	Racks        int
	Depth        int // levels of switches
	FanOut       int // switches below a switch

	Link   topo.LinkSpec // each host's link, both ways
	Uplink topo.LinkSpec // between two switches, both ways
	Fabric topo.LinkSpec // between two PFEs of a chassis, each way
	MTU    int           // bytes; zero means topo.DefaultMTU
}

// Count is one of the counts of Params.
type Count struct {
	Name string // as people write it
	N    *int
}

// Counts returns the counts that not every topology has.
func (p *Params) Counts() []Count {
	return []Count{
		{"leaves", &p.Leaves}, {"spines", &p.Spines}, {"hosts-per-leaf", &p.HostsPerLeaf},
		{"racks", &p.Racks}, {"depth", &p.Depth}, {"fan-out", &p.FanOut},
	}
}

// Generator makes the topologies of one shape.
type Generator struct {
	Name        string
	Description string   // in a line
	Takes       []string // counts that it reads beside hosts
	Needs       []string // those of them that have no default
	generate    func(Params) (*topo.Graph, error)
}

// All returns the generators, in the order of lists.
func All() []Generator {
	return []Generator{
		{"rack", "one switch", nil, nil,
			func(p Params) (*topo.Graph, error) {
				return Rack(RackParams{Hosts: p.Hosts, Link: p.Link, MTU: p.MTU})
			}},
		{"leaf-spine", "leaves with hosts, each on every spine", []string{"leaves", "spines", "hosts-per-leaf"}, nil, leafSpine},
		{"mx480", "one chassis of six PFEs, after the testbed of Trio", nil, nil, mx480},
		{"dumbbell", "two switches and the link between them, with half of the hosts each", nil, nil, dumbbell},
		{"multi-rack", "racks on one core switch", []string{"racks"}, []string{"racks"}, multiRack},
		{"tree", "a tree of switches, with hosts on the lowest", []string{"depth", "fan-out"}, []string{"depth", "fan-out"}, tree},
		{"chassis-spine", "leaves that are chassis of six PFEs, each on every spine", []string{"leaves", "spines"}, nil, chassisSpine},
		{"chassis-leaf-spine", "leaves and spines that are chassis of six PFEs, each leaf on every spine", []string{"leaves", "spines"}, nil, chassisFabric},
	}
}

// Names returns the topologies that [ByName] knows.
func Names() (out []string) {
	for _, g := range All() {
		out = append(out, g.Name)
	}
	return out
}

// ByName generates the topology of that name.
func ByName(name string, p Params) (*topo.Graph, error) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return nil, fmt.Errorf("unknown topology %q: allowed are %s%s", name, strings.Join(Names(), ", "), suggest.DidYouMean(name, Names()))
	}
	g := All()[i]
	for _, c := range p.Counts() {
		if *c.N != 0 && !slices.Contains(g.Takes, c.Name) {
			return nil, fmt.Errorf("%s: %s %d: %s", name, c.Name, *c.N, g.hint())
		}
		if *c.N == 0 && slices.Contains(g.Needs, c.Name) {
			return nil, fmt.Errorf("%s: %s is missing: %s", name, c.Name, g.hint())
		}
	}
	return g.generate(p)
}

// hint says which counts the generator takes.
func (g *Generator) hint() string {
	return "it takes " + strings.Join(append([]string{"hosts"}, g.Takes...), ", ")
}

// divide returns how many of the hosts are on each of n switches; both are 1 or more.
func divide(topology string, hosts, n int, of string) (int, error) {
	if hosts < 1 || n < 1 || hosts%n != 0 {
		return 0, fmt.Errorf("%s: %d hosts do not divide evenly over %d %s: give a multiple", topology, hosts, n, of)
	}
	return hosts / n, nil
}
