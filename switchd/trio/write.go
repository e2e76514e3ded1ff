package trio

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// SetValue sets what a name of the program stands for, in shared memory, in a record of the
// hash table, in a table of routes or terms, or as the threshold of a counter. A thread that has
// read it before goes on with what it has read.
func (p *PFE) SetValue(_ units.Time, w dataplane.Write) (dataplane.Written, error) {
	if e, rest, ok := p.tableNamed(w.Name); ok {
		return p.setEntry(e, rest, w)
	}
	if counter, ok := p.isThreshold(w.Name); ok {
		return p.setThresholdByName(counter, w)
	}
	at, err := p.find(w.Name)
	if err != nil {
		return dataplane.Written{}, err
	}
	if err := writable(&at); err != nil {
		return dataplane.Written{}, err
	}
	n, err := symbol.Parse(at.Type, w.Value)
	if err != nil {
		return dataplane.Written{}, dataplane.Refuse(dataplane.RefusedValue, "give a value that "+at.Type.Name+" holds", "%s: %v", w.Name, err)
	}
	created, err := p.reachRecord(&at, w.Create)
	if err != nil {
		return dataplane.Written{}, err
	}
	was, _ := p.load(&at)
	a, _ := p.wordOf(&at)
	if f := storeBits(p.memory, a, at.Bit%isa.RegisterBits, at.Type.Bits, n); f != mem.NoFault {
		if created {
			p.memory.Hash().Delete(at.Key)
		}
		return dataplane.Written{}, dataplane.Refuse(dataplane.RefusedNoRoom, "give the PFE more memory", "%s: %v", w.Name, f)
	}
	return dataplane.Written{
		Name: w.Name, Type: at.Type.Name, Address: fmt.Sprintf("%#x", uint32(a)), Created: created,
		Was: symbol.Format(at.Type, at.Name, was), Is: symbol.Format(at.Type, at.Name, n),
	}, nil
}

// writable refuses what no control plane can write.
func writable(at *symbol.Place) error {
	s := &at.Symbol
	refuse := func(fix, format string, args ...any) error {
		return dataplane.Refuse(dataplane.RefusedFixed, fix, format, args...)
	}
	switch {
	case s.Kind == isa.SymbolConst:
		return refuse("change the source, or keep the value in sram", "%s is a constant of the compiler", at.Name)
	case s.Kind == isa.SymbolRegister || s.Kind == isa.SymbolLMEM:
		return refuse("keep the value in sram", "%s is a %v variable: each thread has one of its own, and none outlives its packet", at.Name, s.Kind)
	case at.Whole:
		return refuse(fmt.Sprintf("name one, as %s[...]", s.Name), "%s has many elements", at.Name)
	}
	return nil
}

// reachRecord sees that a record of the hash table is there, if the place is in one.
func (p *PFE) reachRecord(at *symbol.Place, create bool) (created bool, err error) {
	if !at.Keyed {
		return false, nil
	}
	h := p.memory.Hash()
	if _, ok := h.Peek(at.Key); ok {
		return false, nil
	}
	if !create {
		return false, dataplane.Refuse(dataplane.RefusedRecord, "\"inalab switch show records\" lists those that are there; --create makes one",
			"there is no record %s", at.Name)
	}
	if _, _, ok := h.Insert(at.Key); !ok {
		return false, dataplane.Refuse(dataplane.RefusedNoRoom, "give the PFE more records", "%s: all %d records of the hash table are taken", at.Name, h.Cap())
	}
	p.changes++
	return true, nil
}

// storeBits writes a number of at most 64 bits from a bit of a word on. It writes all of it
// or nothing.
func storeBits(m *mem.Memory, a mem.Addr, bit, width, n uint64) mem.Fault {
	if f := m.MaskedWrite(a, 0, 0); f != mem.NoFault { // is it there?
		return f
	}
	var over uint64 // bits in the next word
	if end := bit + width; end > isa.RegisterBits {
		over = end - isa.RegisterBits
		mask := ^uint64(0) << (isa.RegisterBits - over)
		if f := m.MaskedWrite(a+1, n<<(isa.RegisterBits-over), mask); f != mem.NoFault {
			return f
		}
	}
	width -= over
	shift := isa.RegisterBits - bit - width
	return m.MaskedWrite(a, n>>over<<shift, (^uint64(0)>>(isa.RegisterBits-width))<<shift)
}
