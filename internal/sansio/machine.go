package sansio

import (
	"github.com/inalab/inalab/internal/units"
)

// Port is the index of a port of a machine, from 0. What a port is depends on
// the machine: a switch port, a host's interface, a byte stream.
type Port int32

// Arrival is one train that came in by a port.
type Arrival struct {
	Port  Port
	Train Train
}

// Machine is a state machine without input or output of its own; see the
// package comment for what its driver owes it.
type Machine interface {
	// Handle takes what arrived at now and appends what follows to eff.
	Handle(now units.Time, in []Arrival, eff *Effects)
	// Expire does what is due at now and appends what follows to eff. Calling
	// it early is harmless.
	Expire(now units.Time, eff *Effects)
	// NextDeadline returns when Expire must be called, or units.Never.
	NextDeadline() units.Time
}

// Untimed is embedded by a machine without timers.
type Untimed struct{}

// NextDeadline is never.
func (Untimed) NextDeadline() units.Time { return units.Never }

// Expire does nothing.
func (Untimed) Expire(units.Time, *Effects) {}

// Send is a train that leaves by every port of To.
type Send struct {
	To    []Port
	Train Train

	template *byte // first byte of the header template that [Effects.Emit] copied
}

// Compute is work that takes a stated time: the machine continues at Until,
// however long Run really took.
type Compute struct {
	Start units.Time
	Until units.Time
	Run   func() // pure; see the package comment, duty 6
}
