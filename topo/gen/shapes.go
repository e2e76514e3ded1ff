package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/topo"
)

// leafSpine is [LeafSpine] by hosts in all.
func leafSpine(p Params) (*topo.Graph, error) {
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

// mx480 is [MX480] by hosts in all.
func mx480(p Params) (*topo.Graph, error) {
	params := MX480Params{Link: p.Link, Fabric: p.Fabric, MTU: p.MTU}
	if p.Hosts != 0 {
		var err error
		if params.Servers, err = spreadServers(p.Hosts); err != nil {
			return nil, err
		}
	}
	return MX480(params)
}

// dumbbell returns the switches left and right, with half of the hosts each: those with
// lower numbers are on the left.
func dumbbell(p Params) (*topo.Graph, error) {
	each, err := divide("dumbbell", cmp.Or(p.Hosts, DefaultHosts), 2, "switches")
	if err != nil {
		return nil, err
	}
	b := newBuilder("dumbbell", p.MTU, p.Link)
	left, right := b.addSwitch("left", 0), b.addSwitch("right", 0)
	b.addHosts(left, each)
	b.addHosts(right, each)
	b.connect(left, right, p.Uplink)
	return b.finish()
}

// multiRack returns racks with the switches tor0, tor1, ... below the switch core.
func multiRack(p Params) (*topo.Graph, error) {
	if err := inRange("multi-rack", "racks", p.Racks, topo.MaxHostSwitches); err != nil {
		return nil, err
	}
	each, err := divide("multi-rack", cmp.Or(p.Hosts, DefaultHosts), p.Racks, "racks")
	if err != nil {
		return nil, err
	}
	b := newBuilder("multi-rack", p.MTU, p.Link)
	for r := range p.Racks {
		b.addHosts(b.addSwitch("tor"+strconv.Itoa(r), 0), each)
	}
	core := b.addSwitch("core", 1)
	for r := range p.Racks {
		b.connect(b.nodeOf("tor"+strconv.Itoa(r)), core, p.Uplink)
	}
	return b.finish()
}

// tree returns Depth levels of switches. Each but the lowest has FanOut below it, and the
// lowest have the hosts. Switch i of tier t is called st-i; hosts are on tier 0.
func tree(p Params) (*topo.Graph, error) {
	if err := inRange("tree", "depth", p.Depth, maxDepth); err != nil {
		return nil, err
	}
	if err := inRange("tree", "fan-out", p.FanOut, topo.MaxHostSwitches); err != nil {
		return nil, err
	}
	lowest := 1
	for range p.Depth - 1 {
		if lowest *= p.FanOut; lowest > topo.MaxHostSwitches {
			return nil, fmt.Errorf("tree: depth %d with fan-out %d has more than the %d lowest switches that are allowed", p.Depth, p.FanOut, topo.MaxHostSwitches)
		}
	}
	each, err := divide("tree", cmp.Or(p.Hosts, DefaultHosts), lowest, "lowest switches")
	if err != nil {
		return nil, err
	}
	b := newBuilder("tree", p.MTU, p.Link)
	for i := range lowest {
		b.addHosts(b.addSwitch(treeSwitch(0, i), 0), each)
	}
	for tier, n := 1, lowest; tier < p.Depth; tier++ {
		n /= p.FanOut
		for i := range n {
			above := b.addSwitch(treeSwitch(tier, i), tier)
			for k := range p.FanOut {
				b.connect(b.nodeOf(treeSwitch(tier-1, i*p.FanOut+k)), above, p.Uplink)
			}
		}
	}
	return b.finish()
}

// maxDepth bounds the levels of a tree (assumed; data centres have three or four).
const maxDepth = 8

func treeSwitch(tier, i int) string { return fmt.Sprintf("s%d-%d", tier, i) }

// chassisSpine returns leaves that are chassis, mx0, mx1, ..., below spines. Hosts are on
// the PFEs of a leaf as in [MX480], and the ports of its top-level PFE lead to the spines.
func chassisSpine(p Params) (*topo.Graph, error) {
	return chassisLeaves("chassis-spine", p, topo.MaxHostSwitches, func(b *builder, name string) func(leaf int) topo.End {
		spine := b.addSwitch(name, 1)
		return func(int) topo.End { return b.addPort(spine) }
	})
}

// chassisFabric is [chassisSpine] with spines that are chassis, too. Leaves are on the ports of
// pfe1, then of the others but the top-level one: so the sums of few leaves meet on one PFE.
func chassisFabric(p Params) (*topo.Graph, error) {
	return chassisLeaves("chassis-leaf-spine", p, mx480Ports-portsPerPFE, func(b *builder, name string) func(leaf int) topo.End {
		spine := b.addChassis(name, defaultTop, p.Fabric, nil)
		b.g.Nodes[spine].Tier = 1
		chassis := b.g.Nodes[spine].Chassis
		below := slices.Delete(slices.Clone(chassis.PFEs), chassis.Top, chassis.Top+1)
		return func(leaf int) topo.End {
			return topo.End{Node: name, Port: below[leaf/portsPerPFE].Ports[leaf%portsPerPFE]}
		}
	})
}

// chassisLeaves returns at most so many leaves that are chassis, each with a link to every spine.
// addSpine adds one and returns its ports by leaf.
func chassisLeaves(shape string, p Params, most int, addSpine func(b *builder, name string) func(leaf int) topo.End) (*topo.Graph, error) {
	leaves, spines := cmp.Or(p.Leaves, DefaultLeaves), cmp.Or(p.Spines, DefaultSpines)
	if err := inRange(shape, "leaves", leaves, most); err != nil {
		return nil, err
	}
	if err := inRange(shape, "spines", spines, portsPerPFE); err != nil {
		return nil, fmt.Errorf("%w: as many as the top-level PFE of a chassis has ports", err)
	}
	each, err := divide(shape, cmp.Or(p.Hosts, DefaultHosts), leaves, "leaves")
	if err != nil {
		return nil, err
	}
	servers, err := spreadServers(each)
	if err != nil {
		return nil, err
	}
	b := newBuilder(shape, p.MTU, p.Link)
	for l := range leaves {
		b.addChassis("mx"+strconv.Itoa(l), defaultTop, p.Fabric, servers)
	}
	for s := range spines {
		port := addSpine(b, "spine"+strconv.Itoa(s))
		for l := range leaves {
			leaf := &b.g.Nodes[b.nodeOf("mx"+strconv.Itoa(l))]
			up := topo.End{Node: leaf.Name, Port: leaf.Chassis.PFEs[leaf.Chassis.Top].Ports[s]}
			b.g.Links = append(b.g.Links, topo.Duplex(up, port(l), p.Uplink))
		}
	}
	return b.finish()
}
