package isa

import "fmt"

// Limits of lists of fields and of tables; all assumed.
const (
	MaxListFields = 16      // fields of one list
	MaxKeyBits    = 64 * 8  // of all fields of a list: as much as the largest transfer over the crossbar (trio §2.3)
	MaxLists      = 64      // lists of a program
	MaxTables     = 64      // tables of a program
	MaxRoutes     = 1 << 20 // routes of a table
	MaxTerms      = 1 << 10 // terms of a filter
)

// A FieldList is the fields that a program has chosen for a hash, or for the terms of a
// filter, in this order (trio §2.2, "Efficient hash calculation").
type FieldList struct {
	Name   string
	Fields []Field
	Pos    Pos
}

// A Field is one of a list.
type Field struct {
	Place Place  // of 1 to 64 bits; its base, if it has one, is a register
	Text  string // as the source writes it
}

// Width returns the bits of a field.
func (f Field) Width() int {
	switch p := f.Place.(type) {
	case Reg:
		return int(p.Width)
	case LMEM:
		return int(p.Width)
	}
	return 0
}

// Bits returns the bits of all fields.
func (l *FieldList) Bits() (n int) {
	for _, f := range l.Fields {
		n += f.Width()
	}
	return n
}

// A TableKind says what a table finds.
type TableKind uint8

// Kinds of tables.
const (
	TableRoutes TableKind = iota + 1 // the longest prefix of an IPv4 destination
	TableFilter                      // the first term that a list of fields matches
)

func (k TableKind) String() string { return nameOf(k, "?", "route", "filter") }

// A Table is one that the control plane fills.
type Table struct {
	Name   string
	Kind   TableKind
	Len    int // the most routes or terms that it holds
	Fields int // of a filter: index of its list
	Pos    Pos
}

// Table returns the index of the table of a kind with a name.
func (p *Program) Table(kind TableKind, name string) (int, bool) {
	for i := range p.Tables {
		if t := &p.Tables[i]; t.Kind == kind && t.Name == name {
			return i, true
		}
	}
	return 0, false
}

func (p *Program) validateTables() error {
	if len(p.Fields) > MaxLists || len(p.Tables) > MaxTables {
		return fmt.Errorf("%d lists of fields and %d tables; at most %d and %d", len(p.Fields), len(p.Tables), MaxLists, MaxTables)
	}
	for i := range p.Fields {
		if err := p.Fields[i].validate(); err != nil {
			return fmt.Errorf("%s: fields %s: %w", p.Fields[i].Pos, p.Fields[i].Name, err)
		}
	}
	for i := range p.Tables {
		if err := p.Tables[i].validate(len(p.Fields)); err != nil {
			return fmt.Errorf("%s: table %s: %w", p.Tables[i].Pos, p.Tables[i].Name, err)
		}
	}
	return nil
}

func (l *FieldList) validate() error {
	if n := len(l.Fields); n == 0 || n > MaxListFields {
		return fmt.Errorf("%d fields; 1 to %d", n, MaxListFields)
	}
	v := validator{}
	for _, f := range l.Fields {
		if err := v.value(f.Place, RegisterBits); err != nil {
			return err
		}
		if m, ok := f.Place.(LMEM); ok && !pointed(m.Base) {
			return fmt.Errorf("%s is not behind a register", m)
		}
	}
	if n := l.Bits(); n > MaxKeyBits {
		return fmt.Errorf("%d bits; at most %d", n, MaxKeyBits)
	}
	return nil
}

// pointed reports the base of an address that takes no ALU: none, or a register.
func pointed(base Expr) bool {
	_, register := base.(Reg)
	return base == nil || register
}

func (t *Table) validate(lists int) error {
	most := MaxRoutes
	switch t.Kind {
	case TableRoutes:
	case TableFilter:
		most = MaxTerms
		if t.Fields < 0 || t.Fields >= lists {
			return fmt.Errorf("there is no list of fields %d", t.Fields)
		}
	default:
		return fmt.Errorf("there is no kind %d", t.Kind)
	}
	if t.Len < 1 || t.Len > most {
		return fmt.Errorf("%d entries; 1 to %d", t.Len, most)
	}
	return nil
}

// checkName checks an argument that names a list of fields or a table: it is a constant,
// the index of one.
func (p *Program) checkName(kind ArgKind, e Expr) error {
	c, fixed := e.(Const)
	ok := fixed
	switch n := uint64(c); kind {
	case ArgFields:
		ok = ok && n < uint64(len(p.Fields))
	case ArgRoutes:
		ok = ok && n < uint64(len(p.Tables)) && p.Tables[n].Kind == TableRoutes
	case ArgFilter:
		ok = ok && n < uint64(len(p.Tables)) && p.Tables[n].Kind == TableFilter
	default:
		return nil
	}
	if !ok {
		return fmt.Errorf("%s names none of the program", e)
	}
	return nil
}
