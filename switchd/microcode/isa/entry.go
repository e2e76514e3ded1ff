package isa

import (
	"errors"
	"fmt"
)

// An EntryKind says what starts the threads of an entry (trio §2.2, "PPE threads").
type EntryKind uint8

// Kinds of entries.
const (
	EntryPacket     EntryKind = iota // a packet that arrives
	EntryTimer                       // a timer
	EntryEvent                       // an external event, which the control plane raises
	EntryStatistics                  // a counter that reaches a multiple of a number
)

func (k EntryKind) String() string {
	if k > EntryStatistics {
		return "?"
	}
	return nameOf(k, "packet", "timer", "event", "statistics")
}

// An Entry is where threads start.
type Entry struct {
	Kind   EntryKind
	Name   string // of the timer, event or counter; empty of packets
	Target int    // instruction
	Every  uint64 // of a counter: at which multiples an element of it starts a thread
	Bytes  bool   // of a counter: bytes count, not packets
}

// String returns what the source calls the entry, such as "timer scan".
func (e Entry) String() string {
	switch {
	case e.Kind == EntryPacket:
		return e.Kind.String()
	case e.Kind != EntryStatistics:
		return e.Kind.String() + " " + e.Name
	case e.Bytes:
		return fmt.Sprintf("%v %s every %d bytes", e.Kind, e.Name, e.Every)
	}
	return fmt.Sprintf("%v %s every %d packets", e.Kind, e.Name, e.Every)
}

// PacketEntry returns the instruction at which a packet's thread starts; false
// if the program has none.
func (p *Program) PacketEntry() (int, bool) { return p.entry(EntryPacket, "") }

// TimerEntry returns the instruction at which a named timer's threads start;
// false if the program has no such timer.
func (p *Program) TimerEntry(timer string) (int, bool) { return p.entry(EntryTimer, timer) }

func (p *Program) entry(kind EntryKind, name string) (int, bool) {
	for _, e := range p.Entries {
		if e.Kind == kind && e.Name == name {
			return e.Target, true
		}
	}
	return 0, false
}

// validateEntry checks one of the entries.
func (p *Program) validateEntry(i int) error {
	e := p.Entries[i]
	if e.Target < 0 || e.Target >= len(p.Instructions) {
		return fmt.Errorf("entry %v leads to instruction %d of %d", e, e.Target, len(p.Instructions))
	}
	for _, o := range p.Entries[:i] {
		if o.Kind == e.Kind && o.Name == e.Name {
			return fmt.Errorf("entry %v stands twice", e)
		}
	}
	switch {
	case e.Kind > EntryStatistics:
		return fmt.Errorf("there is no entry of kind %d", e.Kind)
	case (e.Kind == EntryPacket) != (e.Name == ""):
		return errors.New("an entry of packets has no name, all others have one")
	case e.Kind != EntryStatistics:
		return nil
	}
	if c, ok := p.Symbol(e.Name); !ok || c.Kind != SymbolCounter || e.Every == 0 {
		return fmt.Errorf("entry %v wants a counter and a number from 1 on", e)
	}
	return nil
}
