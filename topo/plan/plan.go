package plan

import (
	"net/netip"

	"github.com/inalab/inalab/topo"
)

// None is the index of a host or PFE that is not there.
const None = -1

// Plan is an addressed topology. Hosts and switches stand at the index that
// their Index field and all references give.
type Plan struct {
	Name     string // of the topology
	MTU      int    // bytes
	Hosts    []Host
	Switches []Switch
	Wires    []Wire // in the order of the graph's links
}

// Host is one host and where it is attached.
type Host struct {
	Name       string
	Index      int
	Iface      string // always HostIface
	MAC        MAC
	Addr       netip.Prefix // its address, with the length of its subnet
	Gateway    netip.Addr   // the switch's router address
	GatewayMAC MAC          // the switch's MAC
	Switch     string
	SwitchPort int // index of the switch's port
}

// Switch is one switch: a rack switch, leaf, spine or chassis.
type Switch struct {
	Name      string
	Index     int
	Tier      int          // as in topo.Node
	Router    netip.Addr   // where aggregation packets are sent; the gateway of its hosts
	MAC       MAC          // of Router; hosts send to it what is for other subnets
	Subnet    netip.Prefix // of its hosts; the zero Prefix where it has none
	Ports     []Port       // by index; a port without a link has Wired false
	Neighbors []Neighbor   // its hosts, by port
	Routes    []Route      // to subnets and routers elsewhere
	Chassis   *Chassis     // nil for a switch with one forwarding engine
}

// Port is one port of a switch.
type Port struct {
	Index      int
	Name       string // as in the topology
	Iface      string // at most MaxIfaceLen bytes, unique on the switch
	MAC        MAC
	PFE        int  // index into the chassis' PFEs; None without a chassis
	Wired      bool // has a link; otherwise the fields below mean nothing
	Peer       topo.End
	PeerMAC    MAC
	PeerHost   int           // index of the host at the other end; None for a switch
	PeerSwitch int           // index of the switch at the other end; None for a host
	PeerPort   int           // index of that switch's port; None for a host
	Subnet     netip.Prefix  // towards a host, the switch's subnet; otherwise zero
	In         topo.LinkSpec // what frames towards this switch meet
	Out        topo.LinkSpec // what frames away from it meet
}

// Chassis is a switch of several packet forwarding engines.
type Chassis struct {
	PFEs   []PFE
	Top    int           // index of the PFE that aggregates at top level
	Fabric topo.LinkSpec // between any two PFEs, each way
}

// PFE is one packet forwarding engine.
type PFE struct {
	Name       string
	FPC, Index int   // line card, and engine on it
	Ports      []int // indexes of the switch's ports
}

// Neighbor is a host on a switch: the static form of an ARP entry and of a
// bridge's table.
type Neighbor struct {
	Addr netip.Addr
	MAC  MAC
	Port int
}

// Route is the way to a subnet or a router on another switch.
type Route struct {
	Dst  netip.Prefix
	Hops []Hop // all at equal cost, in the order of ports; shared between routes, not to be changed
}

// Hop is one next hop.
type Hop struct {
	Port int // by which the frame leaves
	MAC  MAC // of the next switch's port, to which it goes
}

// Wire is one cable, a veth pair in a live testbed.
type Wire struct{ A, B WireEnd }

// WireEnd is one end of a cable.
type WireEnd struct {
	Node  string
	Iface string // unique on the node
	MAC   MAC
}

// Switch returns the switch of that name.
func (p *Plan) Switch(name string) (*Switch, bool) {
	for i := range p.Switches {
		if p.Switches[i].Name == name {
			return &p.Switches[i], true
		}
	}
	return nil, false
}
