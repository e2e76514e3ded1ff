package isa

import "fmt"

// A TypeID names a type of a program, counted from 1; 0 is none, as of a constant.
type TypeID int

// A Form is what a type is made like.
type Form uint8

// The forms.
const (
	FormBits    Form = iota + 1 // an unsigned number
	FormBool                    // a bit that is 0 or 1
	FormLabel                   // an instruction
	FormPointer                 // a byte of LMEM
	FormArray                   // Len times Elem
	FormRecord                  // a struct or union of Fields
)

// A Type is the layout of what a name of the source holds. Bit 0 is the first on the
// wire: the most significant bit of the first byte (trio §3.2). It is made of types with
// lower numbers only.
type Type struct {
	Name   string // as the source has it, such as "u32" or "ipv4_t"
	Form   Form
	Bits   uint64
	Elem   TypeID   // of an array
	Len    uint64   // elements of an array
	Fields []Member // of a record, in the order of the source; unused bits have none
}

// A Member is a field of a record. Members of a struct or union without a name count as
// their parent's.
type Member struct {
	Name string
	Type TypeID
	Bit  uint64 // from the start of the record
}

// A Match says which keys of the hash table a declaration is about.
type Match struct {
	Bit, Width uint64 // of the key, from its first bit
	Value      uint64 // that they must have
}

// Holds reports whether a key of the hash table matches; nil matches every one.
func (m *Match) Holds(key uint64) bool {
	return m == nil || key<<m.Bit>>(RegisterBits-m.Width) == m.Value
}

// Type returns a type of the program; false if it has none of that number.
func (p *Program) Type(id TypeID) (Type, bool) {
	if id < 1 || int(id) > len(p.Types) {
		return Type{}, false
	}
	return p.Types[id-1], true
}

// maxTypeBits bounds a type, so that sums stay within an int (assumed).
const maxTypeBits = 1 << 30

// validateTypes checks that types are made of those before them, and that what they are
// made of is within them.
func (p *Program) validateTypes() error {
	for i := range p.Types {
		if err := p.validateType(i); err != nil {
			return fmt.Errorf("type %q: %w", p.Types[i].Name, err)
		}
	}
	return nil
}

func (p *Program) validateType(i int) error {
	t := &p.Types[i]
	if t.Bits == 0 || t.Bits > maxTypeBits {
		return fmt.Errorf("has %d bits; 1 to %d", t.Bits, maxTypeBits)
	}
	earlier := func(id TypeID) (Type, error) {
		if id < 1 || int(id) > i {
			return Type{}, fmt.Errorf("is made of type %d, which is not before it", id)
		}
		return p.Types[id-1], nil
	}
	switch t.Form {
	case FormBits, FormBool, FormLabel, FormPointer:
		if t.Bits > RegisterBits {
			return fmt.Errorf("has %d bits; a number has at most %d", t.Bits, RegisterBits)
		}
	case FormArray:
		e, err := earlier(t.Elem)
		if err == nil && (t.Len == 0 || t.Len > maxTypeBits || t.Len*e.Bits != t.Bits) {
			err = fmt.Errorf("has %d bits, and %d elements of %d", t.Bits, t.Len, e.Bits)
		}
		return err
	case FormRecord:
		for _, f := range t.Fields {
			e, err := earlier(f.Type)
			if err == nil && (f.Bit > t.Bits || e.Bits > t.Bits-f.Bit) {
				err = fmt.Errorf("field %q is not within its %d bits", f.Name, t.Bits)
			}
			if err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("there is no form %d", t.Form)
	}
	return nil
}

// validateSymbolTypes checks what a symbol is said to hold.
func (p *Program) validateSymbolTypes(s *Symbol) error {
	t, ok := p.Type(s.Type)
	if !ok && (s.Type != 0 || s.Kind == SymbolHash) {
		return fmt.Errorf("there is no type %d", s.Type)
	}
	bits := s.Size
	if s.Kind.Shared() {
		bits *= 8 // of at most 2^32 words
	}
	if ok && s.Kind != SymbolConst && (s.Len == 0 || t.Bits > bits/s.Len) {
		return fmt.Errorf("%d elements of %d bits are not within its %d", s.Len, t.Bits, bits)
	}
	if s.Kind != SymbolHash {
		return nil
	}
	key, ok := p.Type(s.Key)
	switch {
	case !ok || key.Bits > RegisterBits:
		return fmt.Errorf("its keys are not of 1 to %d bits", RegisterBits)
	case s.When != nil && (s.When.Width < 1 || s.When.Width > RegisterBits || s.When.Bit > RegisterBits-s.When.Width):
		return fmt.Errorf("bits %d+%d are not in a key", s.When.Bit, s.When.Width)
	}
	return nil
}
