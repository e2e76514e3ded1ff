package trio

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Look returns a view of what one name of the program stands for.
func (p *PFE) Look(_ units.Time, v dataplane.View, name string, limit int) (dataplane.Table, error) {
	if e, rest, ok := p.tableNamed(name); ok {
		return p.lookTable(v, e, rest, limit)
	}
	at, err := p.find(name)
	if err != nil {
		return dataplane.Table{}, err
	}
	kind := at.Symbol.Kind
	switch {
	case v == dataplane.ViewCounters && kind != isa.SymbolCounter:
		return dataplane.Table{}, dataplane.Refuse(dataplane.RefusedName, "\"inalab switch show symbols\" lists all names", "%s is no counter: it is a %v", name, kind)
	case v == dataplane.ViewRecords && !holdsRecords(kind):
		return dataplane.Table{}, dataplane.Refuse(dataplane.RefusedName, "\"inalab switch show symbols\" lists all names", "%s is no table in shared memory: it is a %v", name, kind)
	}
	return p.look(v, []symbol.Place{at}, true, limit), nil
}

// find resolves a name of the program.
func (p *PFE) find(name string) (symbol.Place, error) {
	at, err := symbol.Find(p.cfg.Program, name)
	if err != nil {
		return at, dataplane.Refuse(dataplane.RefusedName, "\"inalab switch show symbols\" lists all names", "%v", err)
	}
	return at, nil
}

// holdsRecords reports whether symbols of a kind are among the records.
func holdsRecords(k isa.SymbolKind) bool {
	return k == isa.SymbolHash || k.Shared() && k != isa.SymbolCounter
}

// all returns the symbols of a view. Of records, arrays of words without a type that are
// longer than people read are left to who asks for them by name.
func (p *PFE) all(v dataplane.View) (out []symbol.Place) {
	for _, s := range p.cfg.Program.Symbols {
		shown := true
		switch v {
		case dataplane.ViewCounters:
			shown = s.Kind == isa.SymbolCounter
		case dataplane.ViewRecords:
			shown = holdsRecords(s.Kind) && !p.plainArray(&s)
		}
		if shown {
			out = append(out, p.placeOf(s))
		}
	}
	return out
}

// mostPlain is how many words without a type are shown unasked (assumed).
const mostPlain = 64

// plainArray reports whether a symbol is a long array of numbers.
func (p *PFE) plainArray(s *isa.Symbol) bool {
	t, _ := p.cfg.Program.Type(s.Type)
	return t.Form == isa.FormBits && s.Len > mostPlain
}

func (p *PFE) placeOf(s isa.Symbol) symbol.Place {
	t, _ := p.cfg.Program.Type(s.Type)
	return symbol.Place{Name: s.Name, Symbol: s, Type: t, Whole: s.Len > 1 || s.Kind == isa.SymbolHash}
}

// look makes a view of names: all, or the one that is asked for.
func (p *PFE) look(v dataplane.View, names []symbol.Place, named bool, limit int) dataplane.Table {
	switch v {
	case dataplane.ViewSymbols:
		return p.viewSymbols(names, named, limit)
	case dataplane.ViewCounters:
		return p.viewCounters(names, limit)
	}
	return p.viewRecords(names, named, limit)
}

var symbolColumns = []dataplane.Column{
	{Key: "symbol", Name: "symbol"}, {Key: "kind", Name: "kind"}, {Key: "type", Name: "type"},
	{Key: "elements", Name: "elements"}, {Key: "address", Name: "address"}, {Key: "bytes", Name: "size", Unit: "B", Spare: 1},
	{Key: "value", Name: "value"}, {Key: "source", Name: "declared", Spare: 2},
}

func (p *PFE) viewSymbols(names []symbol.Place, named bool, limit int) dataplane.Table {
	t := dataplane.Table{Columns: symbolColumns, Notes: []string{"the program is " + p.cfg.Program.Name}}
	for i := range names {
		at := &names[i]
		s := &at.Symbol
		t.Add(dataplane.Text(at.Name), dataplane.Text(s.Kind.String()), dataplane.Text(typeName(at)), elements(at),
			p.addressOf(at), sizeOf(at), p.valueOf(at), dataplane.Text(s.Pos.String()))
	}
	if !named {
		for i := range p.cfg.Program.Tables {
			p.tableSymbol(&t, &p.cfg.Program.Tables[i])
		}
	}
	t.Cut(limit)
	return t
}

func typeName(at *symbol.Place) string {
	if at.Symbol.Kind == isa.SymbolConst {
		return ""
	}
	return at.Type.Name
}

func elements(at *symbol.Place) dataplane.Value {
	switch {
	case at.Symbol.Kind == isa.SymbolConst:
		return dataplane.Value{}
	case !at.Whole:
		return dataplane.Int(uint64(1))
	case at.Symbol.Kind == isa.SymbolHash:
		return dataplane.Value{} // as many as there are records
	}
	return dataplane.Int(at.Symbol.Len)
}

func sizeOf(at *symbol.Place) dataplane.Value {
	if at.Symbol.Kind == isa.SymbolConst {
		return dataplane.Value{}
	}
	if at.Whole && at.Symbol.Kind.Shared() {
		return dataplane.Int(at.Symbol.Size)
	}
	return dataplane.Int((at.Type.Bits + 7) / 8)
}

// addressOf says where something is: a register, a byte of LMEM, or a word of shared memory
// and the bits behind it.
func (p *PFE) addressOf(at *symbol.Place) dataplane.Value {
	s := &at.Symbol
	bit := s.Value + at.Index*at.Stride() + at.Bit
	switch s.Kind {
	case isa.SymbolConst:
		return dataplane.Value{}
	case isa.SymbolRegister:
		return dataplane.Text(fmt.Sprintf("r%d", bit/isa.RegisterBits))
	case isa.SymbolLMEM:
		return dataplane.Text(fmt.Sprintf("lmem %d", bit/8))
	}
	a, ok := p.wordOf(at)
	if !ok {
		return dataplane.Value{}
	}
	return dataplane.Text(fmt.Sprintf("%#x", uint32(a)))
}

// wordOf returns the word of shared memory in which a place begins; false: it has none, or
// it is a record of the hash table that is not there.
func (p *PFE) wordOf(at *symbol.Place) (mem.Addr, bool) {
	s := &at.Symbol
	word := at.Bit / isa.RegisterBits
	switch {
	case s.Kind.Shared():
		return mem.Addr(s.Value + at.Index*at.Stride()/isa.RegisterBits + word), true
	case s.Kind != isa.SymbolHash:
		return 0, false
	case !at.Keyed:
		return mem.RecordsBase, true
	}
	a, ok := p.memory.Hash().Peek(at.Key)
	return a + mem.Addr(word), ok
}

// valueOf returns the number that a place holds: of a variable of threads, what it starts
// with. What is no number has none.
func (p *PFE) valueOf(at *symbol.Place) dataplane.Value {
	n, ok := p.load(at)
	if !ok {
		return dataplane.Value{}
	}
	if at.Symbol.Kind == isa.SymbolConst {
		return dataplane.Text(fmt.Sprint(n))
	}
	return dataplane.Text(symbol.Format(at.Type, at.Name, n))
}

// load reads a number.
func (p *PFE) load(at *symbol.Place) (uint64, bool) {
	s := &at.Symbol
	switch {
	case s.Kind == isa.SymbolConst:
		return s.Value, true
	case at.Whole || at.Type.Form == isa.FormArray || at.Type.Form == isa.FormRecord:
		return 0, false
	case s.Kind == isa.SymbolRegister || s.Kind == isa.SymbolLMEM:
		return p.cfg.Program.Image.Load(*s, at.Index*at.Stride()+at.Bit, at.Type.Bits), true
	}
	a, ok := p.wordOf(at)
	if !ok {
		return 0, false
	}
	return loadBits(p.memory, a, at.Bit%isa.RegisterBits, at.Type.Bits)
}

// loadBits reads a number of at most 64 bits that begins at a bit of a word.
func loadBits(m *mem.Memory, a mem.Addr, bit, width uint64) (uint64, bool) {
	w, f := m.Load(a)
	if f != mem.NoFault {
		return 0, false
	}
	n := w << bit >> (isa.RegisterBits - width)
	if end := bit + width; end > isa.RegisterBits {
		next, f := m.Load(a + 1)
		if f != mem.NoFault {
			return 0, false
		}
		n |= next >> (2*isa.RegisterBits - end)
	}
	return n, true
}
