package rates

import "github.com/inalab/inalab/internal/units"

// ID names a node of the tree. 0 is nobody; the parent of the root.
type ID uint32

// Phase says where a child is in its iteration.
type Phase uint8

// The phases. A child that was never heard of is Idle.
const (
	Idle    Phase = iota // nothing to send yet
	Sending              // asks for a rate, or has one
	Ended                // everything of the iteration is sent
)

// Request is what a child says to its parent: all of its state.
type Request struct {
	Tree      uint16 // the change of the tree that made this edge
	Iteration uint16
	Seq       uint32 // of this state; a newer one replaces it
	Heard     uint32 // newest notice whose rate the child keeps to
	Phase     Phase
	Demand    units.Rate // the most it can send at; 0 of a server that lets nothing out yet
}

// Notice is what a parent says to a child: its rate.
type Notice struct {
	Tree  uint16
	Seq   uint32     // of this rate; a newer one replaces it
	Heard uint32     // newest request that the rate takes into account
	Rate  units.Rate // bit/s of whole frames; 0 is no rate, not an unlimited one
}

// Send is a message for another node: exactly one of Request and Notice is set.
type Send struct {
	To      ID
	Initial bool // part of a rate initialization, or else of an update (XAgg §IV-C)
	Request *Request
	Notice  *Notice
}

// newer reports whether sequence number a comes after b; numbers wrap (RFC 1982).
func newer(a, b uint32) bool { return int32(a-b) > 0 }

// later reports whether iteration a comes after b; iterations wrap at 16 bits.
func later(a, b uint16) bool { return int16(a-b) > 0 }

// Delays are what nodes take to negotiate, by their place in the tree.
type Delays struct {
	Worker, Server, Root units.Duration
}

// The delays of the paper's testbed (XAgg §VI-C). Their means over its ten nodes are the 9.6 ms and
// 1.7 ms of §IV-C if the PS takes 1 ms for an update, which the paper does not list (assumed).
var (
	PaperInitial = Delays{Worker: 12 * units.Millisecond, Server: 5 * units.Millisecond, Root: 2 * units.Millisecond}
	PaperUpdate  = Delays{Worker: 2 * units.Millisecond, Server: 1 * units.Millisecond, Root: 1 * units.Millisecond}
)

// Of returns the delay of a node, which is the root or a worker or neither.
func (d Delays) Of(root, worker bool) units.Duration {
	switch {
	case root:
		return d.Root
	case worker:
		return d.Worker
	}
	return d.Server
}
