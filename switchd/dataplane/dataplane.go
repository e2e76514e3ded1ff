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
	// Claims reports whether frames with this header are the engine's. It is
	// asked before every Handle and must not change state.
	Claims(header []byte, l inet.Layout) bool
	// Ports returns every port that the engine may send by, for the chassis to
	// check before anything runs.
	Ports() []sansio.Port
	// Counters returns packets in and out by type, and drops by reason.
	Counters() []sansio.Count
}

// Phased is an engine with timers of its own, whose phase may have had a say in
// what happened.
type Phased interface {
	// PhaseMattered reports whether what happened since the last call might have
	// gone otherwise had the timers fired at other instants of their period.
	PhaseMattered() bool
	// Remembers reports whether, with no packet of a block inside, it holds
	// something from before that changes what it does next.
	Remembers() bool
}

// Served is the port of arrivals that came through the server before an engine,
// which does not tell where they came from.
const Served sansio.Port = -1

// fabricBase is above any front-panel port number.
const fabricBase sansio.Port = 1 << 20

// Fabric returns the port that leads across the fabric to engine pfe (from 0).
func Fabric(pfe int) sansio.Port { return fabricBase + sansio.Port(pfe) }

// IsFabric reports whether p leads across the fabric, and to which engine.
func IsFabric(p sansio.Port) (pfe int, ok bool) { return int(p - fabricBase), p >= fabricBase }
