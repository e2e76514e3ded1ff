// Package dataplane is the smallest contract that an aggregation engine meets:
// the reference programs meet it, and so do emulated chips.
//
// A chassis offers every arriving frame to the engine of the port's packet
// forwarding engine. What the engine claims is its own; the rest is forwarded.
// An engine names the ports its packets leave by: front-panel ports of the
// chassis (from 0), or another engine across the fabric.
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
	// Claims says whether frames like this one are the engine's. It is asked before
	// every Handle and must not change state.
	Claims(f Frame) Claim
	// Ports returns every port that the engine may send by, for the chassis to
	// check before anything runs.
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

// Wants says which frames an engine is asked about. The zero value is IPv4 frames
// that are addressed to the switch itself.
type Wants struct {
	Transit bool // frames to others too, of every Ethernet type but ARP
	ARP     bool // with Transit: ARP too
	Leaving bool // frames on their way out by a port of the engine's PFE
}

// Frame is what an engine is told of a frame before it claims it.
type Frame struct {
	Port    sansio.Port // that it came by, or with Leaving is to leave by
	Leaving bool
	Own     bool         // addressed to the switch: its MAC and its router address
	Header  []byte       // of a train: what all its frames have
	Layout  inet.Layout  // of IPv4 frames that are well formed
	Problem inet.Problem // why Layout is zero; inet.OK where it is not
}

// UDP returns the UDP header; nil where there is none.
func (f *Frame) UDP() inet.UDP {
	if f.Problem != inet.OK || f.Layout.Proto != inet.ProtoUDP {
		return nil
	}
	return inet.UDP(f.Header[f.Layout.Transport:])
}

// OwnFrames is embedded by an engine that is asked about frames to the switch alone.
type OwnFrames struct{}

// Wants asks for nothing else.
func (OwnFrames) Wants() Wants { return Wants{} }

// Claim is what an engine says of a frame.
type Claim uint8

// The claims. A frame that is claimed in transit reaches the engine by the port
// [Inbound] or [Outbound]. Sent by that port again it goes on its way; the engine may
// change it first, keep it, answer it, or send others in its place.
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

// Served is the port of arrivals that came through the server before an engine,
// which does not tell where they came from.
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

// Fabric returns the port that leads across the fabric to engine pfe (from 0).
func Fabric(pfe int) sansio.Port { return fabricBase + sansio.Port(pfe) }

// IsFabric reports whether p leads across the fabric, and to which engine.
func IsFabric(p sansio.Port) (pfe int, ok bool) {
	return int(p - fabricBase), p >= fabricBase && p < inboundBase
}
