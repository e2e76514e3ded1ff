package dataplane

import "github.com/inalab/inalab/internal/units"

// Views of the names of a program.
const (
	ViewSymbols  View = "symbols"  // its variables, tables, counters and constants: type, address, value
	ViewRecords  View = "records"  // what its tables hold
	ViewCounters View = "counters" // what its counters count
)

// NamedViews lists them.
var NamedViews = []View{ViewSymbols, ViewRecords, ViewCounters}

// Named is an engine that runs a program whose names a control plane may read and write,
// under the rules of [Viewed].
type Named interface {
	Viewed
	// Look returns one of NamedViews of what one name stands for, such as "drops" or
	// "sources[10.1.0.2]". An error is a [*Refusal].
	Look(now units.Time, v View, name string, limit int) (Table, error)
	// SetValue sets what a name stands for. Threads that read it from then on see that. An
	// error is a [*Refusal], and nothing has changed.
	SetValue(now units.Time, w Write) (Written, error)
}

// Eventful is an engine whose program has entries for external events (trio §2.2), under the
// rules of [Viewed].
type Eventful interface {
	// RaiseEvent raises an event with a number. Its thread starts with the next call of the
	// engine, whose NextDeadline asks for that at once. An error is a [*Refusal], and nothing has
	// happened.
	RaiseEvent(now units.Time, event string, value uint32) error
}

// Running is a program on a PFE.
type Running struct {
	Program string // whose it is: of a system, or by its own name
	System  bool   // it is that of the system which the switch runs
	Engine  Engine
}

// Write is one number that a control plane writes.
type Write struct {
	Name   string `json:"name"`             // with fields and indexes, such as "sources[10.1.0.2].limit"
	Value  string `json:"value"`            // a number, true or false, an IPv4 address or a MAC
	Create bool   `json:"create,omitempty"` // the record of the hash table, if it is not there
}

// Written is what was written.
type Written struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Address string `json:"address"`
	Was     string `json:"was"`
	Is      string `json:"is"`
	Created bool   `json:"created,omitempty"` // with a record that was not there
}

// Reasons of refusals of names.
const (
	RefusedName   Reason = "unknown-name" // or no such field, index or key
	RefusedFixed  Reason = "cannot-be-written"
	RefusedValue  Reason = "bad-value"
	RefusedRecord Reason = "no-record"
	RefusedEvent  Reason = "unknown-event"
)
