// Package dataplane is the smallest contract that an engine of a switch meets: the
// reference programs meet it, and so do emulated chips.
//
// A chassis offers arriving frames to the engines of the port's packet forwarding
// engine (PFE). An engine says of a frame that it is not its own, that it is (the frame
// ends there), or that it has to pass through the engine on its way to somebody else.
// What no engine claims is forwarded.
//
//	port 3 --> claim? --------> claim? ---> forwarding ---> claim? --> port 5
//	            |  ^              |                          |  ^
//	  InTransit v  | Inbound(3)   v Mine           InTransit v  | Outbound(5)
//	           engine           engine                      engine
//
// An engine names the ports that its own packets leave by: front-panel ports of the
// chassis (from 0), or an engine of its own system across the fabric.
//
//	port 3 --> engine pfe1 --> Fabric(3) --> engine pfe4 --> ports 0 1 2 4 5 6
package dataplane

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Engine is a switch program, or a chip that runs one. It sees whole trains of
// one flow; a malformed packet is a counted drop, never an error.
type Engine interface {
	sansio.Machine
	// Wants says which frames the engine is asked about. It does not change.
	Wants() Wants
	// Claims says what a frame is to the engine. It is asked before every Handle, must
	// not change state, and must not keep the frame. All frames of a train are claimed
	// together.
	Claims(f Frame) Claim
	// Ports returns every port that the engine may send by, for the chassis to check
	// before anything runs, and after a job came or went. What is sent by a port that
	// was never named is dropped and counted. [Inbound] and [Outbound] are not named.
	Ports() []sansio.Port
	// Counters returns packets in and out by type, and drops by reason.
	Counters() []sansio.Count
	// PhaseMattered reports whether what happened since the last call might have gone
	// otherwise had timers of the engine fired at other instants of their period.
	PhaseMattered() bool
	// Remembers reports whether, with no packet of a block inside, the engine holds
	// something from before that changes what it does next.
	Remembers() bool
}

// Wants says which frames an engine is asked about. The zero value is well-formed IPv4
// frames that are addressed to the switch itself. Of the programs of one PFE beside that of
// its system, the first that claims a frame in transit has it ([Matched]).
type Wants struct {
	// Transit is frames to others too, when they arrive: of every Ethernet type but ARP,
	// malformed ones among them. They are offered before own frames are.
	Transit bool
	// Leaving is frames on their way out by a port of the engine's PFE, whoever made
	// them, but for those that the engine itself sends by such a port. A frame that
	// leaves by several ports is offered for each. An engine that wants Transit too is
	// called twice before anything is carried out: what it sends must not be in memory of
	// its own that it uses again at that instant.
	Leaving bool
	// ARP is ARP frames too, where one of the others is set. Without them hosts do not
	// find each other, so an engine has to ask for them.
	ARP bool
}

// InTransit reports whether frames to others are wanted.
func (w Wants) InTransit() bool { return w.Transit || w.Leaving }

// Frame is what an engine is told of a frame before it claims it.
type Frame struct {
	Port    sansio.Port // that it came by, or with Leaving is to leave by
	Leaving bool
	Own     bool         // addressed to the switch: its MAC and its router address, in well-formed IPv4
	Header  []byte       // from Ethernet to transport header; all of a frame that is not well-formed IPv4
	Layout  inet.Layout  // of well-formed IPv4
	Problem inet.Problem // why Layout is zero; inet.OK where it is not
}

// UDP returns the UDP header; nil where there is none.
func (f *Frame) UDP() inet.UDP {
	if f.Problem != inet.OK || f.Layout.Proto != inet.ProtoUDP {
		return nil
	}
	return inet.UDP(f.Header[f.Layout.Transport:])
}

// IsTo reports whether the frame is UDP to a port.
func (f *Frame) IsTo(port uint16) bool {
	u := f.UDP()
	return u != nil && u.DstPort() == port
}

// OwnFrames is embedded by an engine that is asked about frames to the switch alone.
type OwnFrames struct{}

// Wants asks for nothing else.
func (OwnFrames) Wants() Wants { return Wants{} }

// Memoryless is embedded by an engine without timers that keeps nothing between blocks
// by which it would act otherwise. Any other engine says itself what it remembers.
type Memoryless struct{}

// PhaseMattered is false: there are no timers.
func (Memoryless) PhaseMattered() bool { return false }

// Remembers is false: what outlives its block has no effect.
func (Memoryless) Remembers() bool { return false }

// Claim is what an engine says of a frame.
type Claim uint8

// The claims.
//
// A frame that is claimed in transit reaches the engine by the port [Inbound] of the port
// that it came by, or [Outbound] of the one that it is about to leave by, with all bytes
// behind its IP packet. Sent by that port, at once or later, it goes on as if the engine
// had not been there: behind Inbound to the other engines of the PFE, if it is addressed
// to the switch, and to forwarding; behind Outbound out of the port. The engine may change
// it first, answer it, or send others in its place. A frame that is not sent again is gone.
//
// Mine is for own frames; of any other frame it counts as NotMine. A frame that two
// engines claim as theirs is dropped and counted.
const (
	NotMine   Claim = iota // the engine does not see it
	Mine                   // addressed to the switch: it ends here
	InTransit              // on its way to somebody else, or back out
)

// MineIf is the claim of an engine that takes a frame or leaves it.
func MineIf(take bool) Claim {
	if take {
		return Mine
	}
	return NotMine
}

// Served is the port of own frames that came through the server before an engine. It does
// not tell where they came from.
const Served sansio.Port = -1

// fabricBase is above any front-panel port number.
const fabricBase sansio.Port = 1 << 20

// Bases of the ports by which frames in transit come to an engine.
const (
	inboundBase  sansio.Port = 1 << 21
	outboundBase sansio.Port = 1 << 22
)

// Inbound returns the port of frames in transit that came by a front-panel port.
func Inbound(at sansio.Port) sansio.Port { return inboundBase + at }

// Outbound returns the port of frames that are about to leave by a front-panel port.
func Outbound(at sansio.Port) sansio.Port { return outboundBase + at }

// IsInbound reports whether p is that of frames in transit, and by which port they came.
func IsInbound(p sansio.Port) (at sansio.Port, ok bool) {
	return p - inboundBase, p >= inboundBase && p < outboundBase
}

// IsOutbound reports whether p is that of frames about to leave, and by which port.
func IsOutbound(p sansio.Port) (at sansio.Port, ok bool) { return p - outboundBase, p >= outboundBase }

// Fabric returns the port that leads across the fabric to the engine of the same system on
// PFE pfe (from 0).
func Fabric(pfe int) sansio.Port { return fabricBase + sansio.Port(pfe) }

// IsFabric reports whether p leads across the fabric, and to which engine.
func IsFabric(p sansio.Port) (pfe int, ok bool) {
	return int(p - fabricBase), p >= fabricBase && p < inboundBase
}
