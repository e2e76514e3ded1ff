package topo

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Kind says what a node is. The zero value is invalid.
type Kind string

// The kinds of node.
const (
	Host   Kind = "host"   // runs workers; has exactly one port
	Switch Kind = "switch" // forwards and aggregates
)

// Graph is a topology. The order of its slices is meaningful: indexes and
// addresses follow it.
type Graph struct {
	Name  string // for people and directories; may be empty
	MTU   int    // largest IP packet in bytes, one for all links; zero means DefaultMTU
	Nodes []Node
	Links []Link
}

// Node is a host or a switch.
type Node struct {
	Name    string
	Kind    Kind
	Ports   []string // in order of port index; a switch's ports may stay unused
	Chassis *Chassis // nil for a host and for a switch with one forwarding engine
	Tier    int      // 0 for switches that hosts attach to (leaf, rack), 1 above them (spine); 0 for hosts
}

// Chassis is a switch made of several packet forwarding engines (PFEs).
type Chassis struct {
	PFEs   []PFE
	Top    int      // index into PFEs: the engine that aggregates the other engines' results (Trio §4)
	Fabric LinkSpec // path between any two PFEs, each way; the zero value is unlimited and immediate
}

// PFE is one packet forwarding engine of a chassis.
type PFE struct {
	Name  string   // "pfe1", "pfe2", ...: counted from 1 over the whole chassis, as in the Trio paper
	FPC   int      // line card slot, from 0
	Index int      // engine on that card, from 0
	Ports []string // the node's ports that this engine serves
}

// End is one end of a link.
type End struct{ Node, Port string }

// String writes e as "node:port".
func (e End) String() string { return e.Node + ":" + e.Port }

// Link joins two ports.
type Link struct {
	A, B End
	AtoB LinkSpec // what travels from A to B meets this
	BtoA LinkSpec
}

// String writes l as "h0:eth0 - tor:p0".
func (l Link) String() string { return l.A.String() + " - " + l.B.String() }

// LinkSpec is one direction of a link. The zero value is a perfect wire:
// unlimited, immediate and without loss.
type LinkSpec struct {
	Rate      units.Rate     // bits per second; zero is unlimited
	Delay     units.Duration // propagation, added to the time that sending takes
	Jitter    units.Duration // by how much a frame's delay differs from Delay, as Distribution says; at most Delay
	Loss      float64        // probability, 0 to 1, that a frame is lost, each alone (Bernoulli)
	LossEvery int            // every LossEvery-th frame is lost; zero loses none
	Queue     units.Bytes    // limit of the queue before the link; zero leaves it to the link model's default

	Bursts  Bursts  `json:",omitzero"` // frames are lost in bursts, beside Loss
	Marking Marking `json:",omitzero"` // congestion is marked

	Distribution Distribution `json:",omitempty"` // of Jitter
	Reorder      float64      `json:",omitempty"` // probability that a frame passes the wire without delay and overtakes
	ReorderGap   int          `json:",omitempty"` // at most one frame in so many overtakes; zero or 1: any may
	Duplicate    float64      `json:",omitempty"` // probability that the wire delivers a frame twice
	Corrupt      float64      `json:",omitempty"` // probability that a bit flips: the far end drops the frame by its FCS
	Script       Script       `json:",omitempty"` // packets that are lost by name
}

// Loses reports whether frames are lost on the wire.
func (s LinkSpec) Loses() bool {
	return s.Loss > 0 || s.LossEvery > 0 || s.Bursts != Bursts{} || s.Corrupt > 0 || s.Script != ""
}

// Lossless returns s without anything that loses frames on the wire.
func (s LinkSpec) Lossless() LinkSpec {
	s.Loss, s.LossEvery, s.Bursts, s.Corrupt, s.Script = 0, 0, Bursts{}, 0, ""
	return s
}

// Loses reports whether some link or fabric loses frames.
func (g *Graph) Loses() bool {
	return slices.ContainsFunc(g.Links, func(l Link) bool { return l.AtoB.Loses() || l.BtoA.Loses() }) ||
		slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Chassis != nil && n.Chassis.Fabric.Loses() })
}

// EffectiveMTU returns the graph's MTU in bytes with the default filled in.
func (g *Graph) EffectiveMTU() int { return cmp.Or(g.MTU, DefaultMTU) }

// Duplex returns a link with the same spec in both directions.
func Duplex(a, b End, spec LinkSpec) Link { return Link{A: a, B: b, AtoB: spec, BtoA: spec} }
