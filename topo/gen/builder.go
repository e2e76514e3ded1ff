package gen

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inalab/inalab/topo"
)

// builder grows a graph; ports and hosts are numbered in the order of the calls.
type builder struct {
	g     *topo.Graph
	link  topo.LinkSpec // every host's link, both ways
	hosts int
}

func newBuilder(name string, mtu int, link topo.LinkSpec) *builder {
	return &builder{g: &topo.Graph{Name: name, MTU: mtu}, link: link}
}

// addSwitch appends a switch and returns its index among the nodes.
func (b *builder) addSwitch(name string, tier int) int {
	b.g.Nodes = append(b.g.Nodes, topo.Node{Name: name, Kind: topo.Switch, Tier: tier})
	return len(b.g.Nodes) - 1
}

// addPort gives the node its next port, p0, p1, ..., and returns it.
func (b *builder) addPort(node int) topo.End {
	n := &b.g.Nodes[node]
	port := "p" + strconv.Itoa(len(n.Ports))
	n.Ports = append(n.Ports, port)
	return topo.End{Node: n.Name, Port: port}
}

// addHost appends the next host and links it to the switch port.
func (b *builder) addHost(at topo.End) {
	name := "h" + strconv.Itoa(b.hosts)
	b.hosts++
	b.g.Nodes = append(b.g.Nodes, topo.Node{Name: name, Kind: topo.Host, Ports: []string{hostPort}})
	b.g.Links = append(b.g.Links, topo.Duplex(topo.End{Node: name, Port: hostPort}, at, b.link))
}

// addHosts gives a switch so many hosts on its next ports.
func (b *builder) addHosts(node, n int) {
	for range n {
		b.addHost(b.addPort(node))
	}
}

// connect links two switches by the next port of each.
func (b *builder) connect(lower, upper int, link topo.LinkSpec) {
	down := b.addPort(lower)
	b.g.Links = append(b.g.Links, topo.Duplex(down, b.addPort(upper), link))
}

// nodeOf returns the index of a node that was added.
func (b *builder) nodeOf(name string) int {
	return slices.IndexFunc(b.g.Nodes, func(n topo.Node) bool { return n.Name == name })
}

// addChassis adds a switch of six PFEs with so many hosts on each and returns its index.
func (b *builder) addChassis(name, top string, fabric topo.LinkSpec, servers []int) int {
	node := b.addSwitch(name, 0)
	chassis := &topo.Chassis{PFEs: mx480Engines(), Top: slices.Index(pfeNames(), top), Fabric: fabric}
	b.g.Nodes[node].Chassis = chassis
	for _, pfe := range chassis.PFEs {
		b.g.Nodes[node].Ports = append(b.g.Nodes[node].Ports, pfe.Ports...)
	}
	for i, n := range servers {
		for port := range n {
			b.addHost(topo.End{Node: name, Port: chassis.PFEs[i].Ports[port]})
		}
	}
	return node
}

// finish returns the graph, or what its link specs or MTU have wrong.
func (b *builder) finish() (*topo.Graph, error) {
	if err := b.g.Validate(); err != nil {
		return nil, fmt.Errorf("generate %s: %w", b.g.Name, err)
	}
	return b.g, nil
}
