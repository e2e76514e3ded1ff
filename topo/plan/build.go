package plan

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/topo"
)

// New plans g. It returns what [topo.Graph.Validate] finds wrong with g; a
// graph without faults can always be planned.
func New(g *topo.Graph) (*Plan, error) {
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("plan topology %q: %w", g.Name, err)
	}
	b := &builder{
		g:        g,
		p:        &Plan{Name: g.Name, MTU: g.EffectiveMTU()},
		switches: make(map[string]int),
		hosts:    make(map[string]int),
		ports:    make(map[topo.End]int),
	}
	for i := range g.Nodes {
		b.addNode(&g.Nodes[i])
	}
	for _, l := range g.Links {
		b.connect(l)
	}
	b.address()
	b.addNeighbors()
	b.addRoutes()
	return b.p, nil
}

// builder fills in a plan. Its maps are looked up, never ranged over.
type builder struct {
	g        *topo.Graph
	p        *Plan
	switches map[string]int   // name -> index
	hosts    map[string]int   // name -> index
	ports    map[topo.End]int // switch port -> index on its switch
}

func (b *builder) addNode(n *topo.Node) {
	if n.Kind == topo.Host {
		i := len(b.p.Hosts)
		b.hosts[n.Name] = i
		b.p.Hosts = append(b.p.Hosts, Host{Name: n.Name, Index: i, Iface: HostIface, MAC: hostMAC(i)})
		return
	}
	i := len(b.p.Switches)
	b.switches[n.Name] = i
	sw := Switch{Name: n.Name, Index: i, Tier: n.Tier, MAC: switchMAC(i), Ports: make([]Port, len(n.Ports))}
	ifaces := ifaceNames(n.Ports)
	for j, name := range n.Ports {
		sw.Ports[j] = Port{Index: j, Name: name, Iface: ifaces[j], MAC: portMAC(i, j), PFE: None, PeerHost: None, PeerSwitch: None, PeerPort: None}
		b.ports[topo.End{Node: n.Name, Port: name}] = j
	}
	b.p.Switches = append(b.p.Switches, sw)
	if n.Chassis != nil {
		b.addChassis(&b.p.Switches[i], n.Chassis)
	}
}

func (b *builder) addChassis(sw *Switch, c *topo.Chassis) {
	sw.Chassis = &Chassis{Top: c.Top, Fabric: c.Fabric}
	for i, pfe := range c.PFEs {
		engine := PFE{Name: pfe.Name, FPC: pfe.FPC, Index: pfe.Index}
		for _, name := range pfe.Ports {
			port := b.ports[topo.End{Node: sw.Name, Port: name}]
			engine.Ports = append(engine.Ports, port)
			sw.Ports[port].PFE = i
		}
		sw.Chassis.PFEs = append(sw.Chassis.PFEs, engine)
	}
}

// connect enters a link at its switch ports and among the wires.
func (b *builder) connect(l topo.Link) {
	wire := Wire{A: b.wireEnd(l.A), B: b.wireEnd(l.B)}
	b.p.Wires = append(b.p.Wires, wire)
	b.attach(l.A, l.B, wire.B.MAC, l.BtoA, l.AtoB)
	b.attach(l.B, l.A, wire.A.MAC, l.AtoB, l.BtoA)
}

func (b *builder) wireEnd(e topo.End) WireEnd {
	if h, ok := b.hosts[e.Node]; ok {
		return WireEnd{Node: e.Node, Iface: HostIface, MAC: b.p.Hosts[h].MAC}
	}
	port := b.port(e)
	return WireEnd{Node: e.Node, Iface: port.Iface, MAC: port.MAC}
}

func (b *builder) port(e topo.End) *Port { return &b.p.Switches[b.switches[e.Node]].Ports[b.ports[e]] }

// attach tells one end of a link about the other.
func (b *builder) attach(e, peer topo.End, peerMAC MAC, in, out topo.LinkSpec) {
	if h, ok := b.hosts[e.Node]; ok {
		b.p.Hosts[h].Switch, b.p.Hosts[h].SwitchPort = peer.Node, b.ports[peer]
		return
	}
	port := b.port(e)
	port.Wired, port.Peer, port.PeerMAC, port.In, port.Out = true, peer, peerMAC, in, out
	if h, ok := b.hosts[peer.Node]; ok {
		port.PeerHost = h
		return
	}
	port.PeerSwitch, port.PeerPort = b.switches[peer.Node], b.ports[peer]
}

// address numbers the switches, then the hosts on each.
func (b *builder) address() {
	withHosts, transit := 0, 0
	leaf := make([]int, len(b.p.Switches)) // number among the switches with hosts
	for i := range b.p.Switches {
		sw := &b.p.Switches[i]
		if !slices.ContainsFunc(sw.Ports, func(p Port) bool { return p.PeerHost != None }) {
			sw.Router = transitAddr(transit)
			transit++
			continue
		}
		leaf[i] = withHosts
		sw.Router, sw.Subnet = gatewayOf(withHosts), subnetOf(withHosts)
		withHosts++
	}
	onSwitch := make([]int, len(b.p.Switches))
	for i := range b.p.Hosts {
		h := &b.p.Hosts[i]
		at := b.switches[h.Switch]
		sw := &b.p.Switches[at]
		h.Addr = netip.PrefixFrom(hostAddr(leaf[at], onSwitch[at]), subnetBits)
		h.Gateway, h.GatewayMAC = sw.Router, sw.MAC
		sw.Ports[h.SwitchPort].Subnet = sw.Subnet
		onSwitch[at]++
	}
}

func (b *builder) addNeighbors() {
	for i := range b.p.Switches {
		sw := &b.p.Switches[i]
		for _, port := range sw.Ports {
			if port.PeerHost != None {
				h := &b.p.Hosts[port.PeerHost]
				sw.Neighbors = append(sw.Neighbors, Neighbor{Addr: h.Addr.Addr(), MAC: h.MAC, Port: port.Index})
			}
		}
	}
}
