package topo

import (
	"errors"
	"fmt"
	"slices"
)

// reservedPorts are names that Linux keeps for itself in a network namespace:
// the loopback device, and two directories of /proc/sys/net/ipv4/conf.
var reservedPorts = []string{"all", "default", "lo"}

// Fault is what is wrong with a graph.
type Fault struct {
	Node  int    // index of the node it is of; -1: of none
	Link  int    // index of the link it is of; -1: of none
	Key   string // of what it is where it is of no node and no link: "name" or "mtu"; empty: of all
	Apart bool   // the node has no way to others, which may follow from what is wrong elsewhere
	Err   error
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Validate reports all faults of g, joined; each names the node or the link it
// stands at. It returns nil where g can be addressed and built.
func (g *Graph) Validate() error { return errors.Join(g.Faults()...) }

// Faults is [Graph.Validate] one by one: each is a [Fault].
func (g *Graph) Faults() []error {
	c := &checker{
		g:        g,
		nodes:    make(map[string]int, len(g.Nodes)),
		ports:    make(map[End]bool),
		usedBy:   make(map[End]int),
		linked:   make([]bool, len(g.Nodes)),
		neighbor: make([][]int, len(g.Nodes)),
	}
	c.at = Fault{Node: -1, Link: -1}
	c.checkGraph()
	for i := range g.Nodes {
		c.at.Node = i
		c.checkNode(i)
	}
	for i := range g.Links {
		c.at = Fault{Node: -1, Link: i}
		c.checkLink(i)
	}
	c.checkConnected()
	c.at = Fault{Node: -1, Link: -1}
	c.checkCounts()
	return c.errs
}

// checker walks a graph once and collects its faults. Its maps are looked up,
// never ranged over, so the faults come in the order of the graph.
type checker struct {
	g        *Graph
	errs     []error
	at       Fault          // where faults are
	nodes    map[string]int // index of the first node of that name
	ports    map[End]bool   // every port that a node declares
	usedBy   map[End]int    // index of the first link at a port
	linked   []bool         // by node: named by some link, sound or not
	neighbor [][]int        // by node: other ends of its sound links
	broken   bool           // some link is unsound, so that reachability says nothing
}

func (c *checker) fault(format string, args ...any) {
	f := c.at
	f.Err = fmt.Errorf(format, args...)
	c.errs = append(c.errs, &f)
}

func (c *checker) checkGraph() {
	if c.g.Name != "" {
		if why := badName(c.g.Name); why != "" {
			c.at.Key = "name"
			c.fault("topology %q: name %s", c.g.Name, why)
		}
	}
	if m := c.g.MTU; m != 0 && (m < MinMTU || m > MaxMTU) {
		c.at.Key = "mtu"
		c.fault("mtu %d: must be %d..%d bytes, or absent for %d", m, MinMTU, MaxMTU, DefaultMTU)
	}
	c.at.Key = ""
	if !slices.ContainsFunc(c.g.Nodes, func(n Node) bool { return n.Kind == Host }) {
		c.fault("topology has no hosts: add at least one")
	}
}

func (c *checker) checkNode(i int) {
	n := &c.g.Nodes[i]
	if why := badName(n.Name); why != "" {
		c.fault("node %q: name %s", n.Name, why)
	}
	if first, dup := c.nodes[n.Name]; dup {
		c.fault("node %s: name is used twice (nodes %d and %d)", n.Name, first, i)
		return // a second set of its ports would only repeat the fault
	}
	c.nodes[n.Name] = i
	switch n.Kind {
	case Host:
		c.checkHost(n)
	case Switch:
		c.checkSwitch(n)
	default:
		c.fault("node %s: unknown kind %q: allowed are %s, %s", n.Name, n.Kind, Host, Switch)
	}
	for _, p := range n.Ports {
		c.checkPort(n, p)
	}
}

func (c *checker) checkHost(n *Node) {
	if len(n.Ports) != 1 {
		c.fault("host %s: has %d ports: a host has exactly one", n.Name, len(n.Ports))
	}
	if n.Chassis != nil {
		c.fault("host %s: has a chassis: only a switch can have one", n.Name)
	}
	if n.Tier != 0 {
		c.fault("host %s: has tier %d: a host's is 0", n.Name, n.Tier)
	}
}

func (c *checker) checkSwitch(n *Node) {
	if n.Tier < 0 {
		c.fault("switch %s: tier %d is negative: use 0 where hosts attach, 1 above", n.Name, n.Tier)
	}
	if len(n.Ports) > MaxPorts {
		c.fault("switch %s: has %d ports: at most %d are allowed", n.Name, len(n.Ports), MaxPorts)
	}
	if n.Chassis != nil {
		c.checkChassis(n)
	}
}

func (c *checker) checkPort(n *Node, port string) {
	if why := badName(port); why != "" {
		c.fault("node %s: port %q: name %s", n.Name, port, why)
	} else if slices.Contains(reservedPorts, port) {
		c.fault("node %s: port %s: the name is reserved by Linux: choose another", n.Name, port)
	}
	end := End{Node: n.Name, Port: port}
	if c.ports[end] {
		c.fault("node %s: port %s is declared twice", n.Name, port)
	}
	c.ports[end] = true
}

// badName returns what is wrong with the name of a node or port, or "".
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > MaxNameLen:
		return fmt.Sprintf("has %d bytes: at most %d are allowed", len(name), MaxNameLen)
	case name[0] == '-':
		return "starts with '-', which commands would read as a flag"
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return fmt.Sprintf("holds %q: allowed are a-z, 0-9 and '-'", r)
		}
	}
	return ""
}
