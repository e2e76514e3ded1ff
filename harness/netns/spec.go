package netns

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"

	"github.com/inalab/inalab/harness/journal"
)

// Spec is what to bring up. It is checked as a whole before anything is made.
type Spec struct {
	// Lab is the name of the lab: 1 to 32 of a-z, 0-9 and -; see [NewLabName].
	Lab string
	// MTU of every link in bytes; 0 means [DefaultMTU].
	MTU   int
	Nodes []Node
	Wires []Wire
}

// DefaultMTU is the MTU of links whose Spec says 0, in bytes.
const DefaultMTU = 9000

// Node is one network namespace.
type Node struct {
	// Name is unique in the lab: letters, digits, '.', '_' and '-'.
	Name string
	// Forwarding lets the kernel of this namespace route IPv4.
	Forwarding bool
	// Silent keeps the kernel of this namespace from answering packets that it cannot
	// deliver: for programs that share an interface with it. It still answers ARP and
	// echo requests.
	Silent    bool
	Routes    []Route
	Neighbors []Neighbor
}

// Route is one IPv4 route.
type Route struct {
	Dst netip.Prefix
	Via netip.Addr // next hop
}

// Neighbor is a permanent ARP entry, on the interface whose prefix holds Addr.
type Neighbor struct {
	Addr netip.Addr
	MAC  [6]byte
}

// Wire is one veth pair.
type Wire struct {
	A, B End
	// Queues is how many queues each end has, in each direction; 0 means 1. What comes by
	// different queues is received on different CPUs, if it was sent on different ones: the CPU
	// that sends also receives. RPS would not spread XDP programs, which run before it.
	Queues int
}

// End is one end of a wire.
type End struct {
	Node  string
	Iface string // at most 15 bytes
	MAC   [6]byte
	Addr  netip.Prefix // IPv4; the zero value means no address
	// Offload leaves segmentation and checksum offload on, so that frames carry
	// partial checksums and may be larger than the MTU. False turns both off
	// for what this end sends.
	Offload bool
	// GRO has what this end receives go through NAPI. Without that, and without an XDP program at
	// this end, the kernel drops what an XDP program of the other end redirects to its interface. Segments of
	// TCP are joined to packets larger than the MTU then, but not where Offload is off.
	GRO bool
}

// String returns node:interface.
func (e End) String() string { return e.Node + ":" + e.Iface }

const (
	maxNodeName  = 63    // bytes; assumed, as long as a DNS label
	maxIfaceName = 15    // bytes; IFNAMSIZ less its terminator
	minMTU       = 68    // bytes; RFC 791, and what veth takes
	maxMTU       = 65535 // bytes; veth's ETH_MAX_MTU
	maxQueues    = 4096  // net/core/rtnetlink.c, rtnl_create_link
)

var (
	nodeName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	ifaceName = regexp.MustCompile(`^[^\s/:%]+$`) // dev_valid_name of the kernel; % makes a template
)

// normalise checks the spec and fills in its defaults.
func (s *Spec) normalise() error {
	if err := journal.CheckLab(s.Lab); err != nil {
		return err
	}
	if s.MTU == 0 {
		s.MTU = DefaultMTU
	}
	if s.MTU < minMTU || s.MTU > maxMTU {
		return fmt.Errorf("mtu %d: use %d to %d bytes", s.MTU, minMTU, maxMTU)
	}
	nodes := make(map[string]bool, len(s.Nodes))
	for _, n := range s.Nodes {
		if nodes[n.Name] {
			return fmt.Errorf("node %q stands twice in the lab", n.Name)
		}
		nodes[n.Name] = true
		if err := n.check(); err != nil {
			return err
		}
	}
	used := make(map[string]bool, 2*len(s.Wires))
	for _, w := range s.Wires {
		if w.Queues < 0 || w.Queues > maxQueues {
			return fmt.Errorf("wire %v - %v: %d queues: use 1 to %d, or 0 for one", w.A, w.B, w.Queues, maxQueues)
		}
		for _, e := range [...]End{w.A, w.B} {
			if !nodes[e.Node] {
				return fmt.Errorf("wire %v - %v: there is no node %q", w.A, w.B, e.Node)
			}
			if used[e.String()] {
				return fmt.Errorf("wire %v - %v: interface %v has a wire already", w.A, w.B, e)
			}
			used[e.String()] = true
			if err := e.check(); err != nil {
				return fmt.Errorf("wire %v - %v: %w", w.A, w.B, err)
			}
		}
	}
	return nil
}

func (n Node) check() error {
	if len(n.Name) > maxNodeName || !nodeName.MatchString(n.Name) {
		return fmt.Errorf("node name %q: use 1 to %d letters, digits, '.', '_' or '-', beginning with a letter or a digit", n.Name, maxNodeName)
	}
	for _, r := range n.Routes {
		if !r.Dst.IsValid() || !r.Dst.Addr().Is4() {
			return fmt.Errorf("node %s: route to %v: the destination must be an IPv4 prefix", n.Name, r.Dst)
		}
		if !r.Via.Is4() {
			return fmt.Errorf("node %s: route to %v: next hop %v is not an IPv4 address", n.Name, r.Dst, r.Via)
		}
	}
	for _, nb := range n.Neighbors {
		if !nb.Addr.Is4() {
			return fmt.Errorf("node %s: neighbor %v is not an IPv4 address", n.Name, nb.Addr)
		}
	}
	return nil
}

func (e End) check() error {
	if len(e.Iface) > maxIfaceName || !ifaceName.MatchString(e.Iface) || e.Iface == "." || e.Iface == ".." {
		return fmt.Errorf("interface name %q: use 1 to %d bytes without blanks, '/', ':' and '%%'", e.Iface, maxIfaceName)
	}
	if e.MAC[0]&1 != 0 || e.MAC == [6]byte{} {
		return fmt.Errorf("interface %v: %v is not the address of one interface", e, net.HardwareAddr(e.MAC[:]))
	}
	if e.Addr.IsValid() && !e.Addr.Addr().Is4() {
		return fmt.Errorf("interface %v: address %v is not IPv4", e, e.Addr)
	}
	return nil
}
