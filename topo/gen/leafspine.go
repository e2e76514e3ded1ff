package gen

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/topo"
)

// Sizes of a leaf-spine that gives none: the smallest with equal-cost paths
// (assumed), and six hosts as in DefaultHosts.
const (
	DefaultLeaves       = 2
	DefaultSpines       = 2
	DefaultHostsPerLeaf = 3
)

// LeafSpineParams says what a leaf-spine fabric is made of.
type LeafSpineParams struct {
	Leaves       int           // zero means DefaultLeaves
	Spines       int           // zero means DefaultSpines
	HostsPerLeaf int           // zero means DefaultHostsPerLeaf
	Link         topo.LinkSpec // each host's link, both ways
	Uplink       topo.LinkSpec // each link between leaf and spine, both ways
	MTU          int           // bytes; zero means topo.DefaultMTU
}

func (p *LeafSpineParams) validate() error {
	for _, f := range []struct {
		name         string
		n            *int
		unset, limit int
	}{
		{"leaves", &p.Leaves, DefaultLeaves, topo.MaxHostSwitches},
		{"spines", &p.Spines, DefaultSpines, topo.MaxTransitSwitches},
		{"hosts per leaf", &p.HostsPerLeaf, DefaultHostsPerLeaf, topo.MaxHostsPerSwitch},
	} {
		*f.n = cmp.Or(*f.n, f.unset)
		if err := inRange("leaf-spine", f.name, *f.n, f.limit); err != nil {
			return err
		}
	}
	if n := p.Leaves * p.HostsPerLeaf; n > topo.MaxHosts {
		return fmt.Errorf("leaf-spine: %d leaves of %d hosts are %d hosts: at most %d are allowed", p.Leaves, p.HostsPerLeaf, n, topo.MaxHosts)
	}
	return nil
}

// LeafSpine returns leaves leaf0, leaf1, ..., each with its hosts on the first
// ports and one uplink to every spine on the ports after them. Hosts are
// numbered over all leaves: the first HostsPerLeaf are on leaf0.
func LeafSpine(p LeafSpineParams) (*topo.Graph, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	b := newBuilder("leaf-spine", p.MTU, p.Link)
	for l := range p.Leaves {
		b.addSwitch("leaf"+strconv.Itoa(l), 0)
	}
	for s := range p.Spines {
		b.addSwitch("spine"+strconv.Itoa(s), 1)
	}
	for leaf := range p.Leaves {
		b.addHosts(leaf, p.HostsPerLeaf)
	}
	for leaf := range p.Leaves {
		for s := range p.Spines {
			b.connect(leaf, p.Leaves+s, p.Uplink)
		}
	}
	return b.finish()
}
