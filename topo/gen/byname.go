package gen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
)

// Params holds what any generator may be given. A count of zero is left to the
// generator's default; a count that the topology has no use for is an error.
// Link applies to all, Uplink to leaf-spine, Fabric to mx480.
type Params struct {
	Hosts        int // in the whole topology
	Leaves       int // leaf-spine
	Spines       int // leaf-spine
	HostsPerLeaf int // leaf-spine; instead of Hosts or in agreement with it

	Link   topo.LinkSpec // each host's link, both ways
	Uplink topo.LinkSpec // between leaf and spine, both ways
	Fabric topo.LinkSpec // between two PFEs of a chassis, each way
	MTU    int           // bytes; zero means topo.DefaultMTU
}

// Names returns the topologies that [ByName] knows.
func Names() []string { return []string{"rack", "leaf-spine", "mx480"} }

// ByName generates the topology of that name.
func ByName(name string, p Params) (*topo.Graph, error) {
	switch name {
	case "rack":
		return rackByName(p)
	case "leaf-spine":
		return leafSpineByName(p)
	case "mx480":
		return mx480ByName(p)
	}
	return nil, fmt.Errorf("unknown topology %q: allowed are %s%s", name, strings.Join(Names(), ", "), didYouMean(name, Names()))
}

func rackByName(p Params) (*topo.Graph, error) {
	if err := p.refuseFabricCounts("rack"); err != nil {
		return nil, err
	}
	return Rack(RackParams{Hosts: p.Hosts, Link: p.Link, MTU: p.MTU})
}

func mx480ByName(p Params) (*topo.Graph, error) {
	if err := p.refuseFabricCounts("mx480"); err != nil {
		return nil, err
	}
	params := MX480Params{Link: p.Link, Fabric: p.Fabric, MTU: p.MTU}
	if p.Hosts != 0 {
		var err error
		if params.Servers, err = spreadServers(p.Hosts); err != nil {
			return nil, err
		}
	}
	return MX480(params)
}

func leafSpineByName(p Params) (*topo.Graph, error) {
	leaves := cmp.Or(p.Leaves, DefaultLeaves)
	perLeaf := p.HostsPerLeaf
	switch {
	case p.Hosts == 0: // perLeaf alone decides
	case leaves < 0: // LeafSpine says so
	case p.Hosts < 0 || p.Hosts%leaves != 0:
		return nil, fmt.Errorf("leaf-spine: %d hosts do not divide evenly over %d leaves: give a multiple, or hosts per leaf", p.Hosts, leaves)
	case perLeaf != 0 && perLeaf*leaves != p.Hosts:
		return nil, fmt.Errorf("leaf-spine: %d hosts contradict %d leaves of %d hosts each: give one of the two", p.Hosts, leaves, perLeaf)
	default:
		perLeaf = p.Hosts / leaves
	}
	return LeafSpine(LeafSpineParams{
		Leaves: leaves, Spines: p.Spines, HostsPerLeaf: perLeaf,
		Link: p.Link, Uplink: p.Uplink, MTU: p.MTU,
	})
}

// refuseFabricCounts returns an error where p counts what only a leaf-spine has.
func (p *Params) refuseFabricCounts(topology string) error {
	for _, f := range []struct {
		name string
		n    int
	}{{"leaves", p.Leaves}, {"spines", p.Spines}, {"hosts per leaf", p.HostsPerLeaf}} {
		if f.n != 0 {
			return fmt.Errorf("%s: %s %d: only leaf-spine has them: give hosts alone", topology, f.name, f.n)
		}
	}
	return nil
}

// didYouMean returns ` (did you mean "x"?)` for the allowed word closest to
// the given one, or "" where none is close.
func didYouMean(given string, allowed []string) string {
	near, ok := suggest.Nearest(given, allowed)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", near)
}
