package check

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// A form is what a type is made like.
type form int

const (
	formBits form = iota // an unsigned integer of Bits bits
	formBool
	formLabel
	formPointer // an address in local memory of an Elem
	formArray   // Len times Elem
	formRecord  // Fields
)

// A dataType is a type with its layout. Bit 0 of a layout is the first on the
// wire: the most significant bit of the first byte (trio §3.2, "Packet header
// formats").
type dataType struct {
	form   form
	name   string
	bits   int
	elem   *dataType
	len    int
	fields []field
	index  map[string]int // of each name in fields

	library bool // of the prelude: a program may declare another of this name
}

// A field is one member of a record. Members of members without a name stand
// here too.
type field struct {
	name   string
	typ    *dataType
	offset int // bits from the start of the record
}

// maxTypeBits bounds a type: no record is larger than what one program can
// name in shared memory. It only keeps sums within an int.
const maxTypeBits = 1 << 30

// maxMembers bounds the named members of a struct: as many as LMEM has bits.
const maxMembers = isa.LMEMBits

var (
	typeBool  = &dataType{form: formBool, name: "bool", bits: 1}
	typeLabel = &dataType{form: formLabel, name: "label", bits: 32}
	typeWord  = bitsType(32) // of a value without another type
	typeByte  = bitsType(8)
)

func bitsType(n int) *dataType {
	return &dataType{form: formBits, name: fmt.Sprintf("%d bits", n), bits: n}
}

func pointerTo(t *dataType) *dataType {
	return &dataType{form: formPointer, name: t.name + " *", bits: 32, elem: t}
}

// builtinTypes are the types that need no declaration.
func builtinTypes() map[string]*dataType {
	types := map[string]*dataType{"bool": typeBool, "label": typeLabel}
	for _, n := range []int{8, 16, 32, 64} {
		name := fmt.Sprintf("u%d", n)
		types[name] = &dataType{form: formBits, name: name, bits: n}
	}
	return types
}

// scalar reports a type that an expression can be of.
func (t *dataType) scalar() bool { return t.form != formArray && t.form != formRecord }

// bytes is the size in whole bytes; a last incomplete byte counts.
func (t *dataType) bytes() int { return (t.bits + 7) / 8 }

func (t *dataType) find(name string) (field, bool) {
	i, ok := t.index[name]
	if !ok {
		return field{}, false
	}
	return t.fields[i], true
}

// declareTypes lays out every struct and union. A type is used after its
// declaration only, so none can hold itself.
func (c *checker) declareTypes(f *syntax.File) {
	var list []*syntax.StructDecl
	c.later = map[string]bool{}
	for _, d := range f.Decls {
		if s, ok := d.(*syntax.StructDecl); ok {
			list = append(list, s)
			c.later[s.Name] = true
		}
	}
	for _, s := range list {
		if old, dup := c.types[s.Name]; dup && !old.library {
			c.errorf(s.Pos, "type %s is declared before, or part of the language", s.Name)
			continue
		}
		t := c.layout(s)
		t.name, t.library = s.Name, c.library
		c.types[s.Name] = t
	}
}

// layout places the members of a record.
func (c *checker) layout(s *syntax.StructDecl) *dataType {
	t := &dataType{form: formRecord, name: "struct", index: map[string]int{}}
	called := cmp.Or(s.Name, "a struct or union without a name")
	for _, m := range s.Members {
		mt := c.memberType(m)
		if mt == nil {
			continue
		}
		at := t.bits
		if s.Union {
			at = 0
		}
		for _, f := range named(m, mt, at) {
			if _, dup := t.index[f.name]; dup {
				c.errorf(m.Pos, "member %s stands twice in %s", f.name, called)
				continue
			}
			t.index[f.name] = len(t.fields)
			t.fields = append(t.fields, f)
		}
		if len(t.fields) > maxMembers {
			c.errorf(m.Pos, "%s has more than %d members", called, maxMembers)
			return t
		}
		t.bits = max(t.bits, at+mt.bits)
		if t.bits > maxTypeBits {
			c.errorf(m.Pos, "%s has more than %d bits", called, maxTypeBits)
			t.bits = 0
			return t
		}
	}
	return t
}

// named returns what a member at this offset adds to the names of its parent:
// itself, or the members of a struct without a name, or, for a pad, nothing.
func named(m *syntax.Member, t *dataType, at int) []field {
	if m.Name != "" {
		return []field{{m.Name, t, at}}
	}
	var out []field
	for _, f := range t.fields {
		out = append(out, field{f.name, f.typ, f.offset + at})
	}
	return out
}

// memberType is the type of a member, nil after an error.
func (c *checker) memberType(m *syntax.Member) *dataType {
	var t *dataType
	switch {
	case m.Body != nil:
		t = c.layout(m.Body)
	case m.Width != nil:
		n, ok := c.positive(m.Width, "the width of "+cmp.Or(m.Name, "the pad"), maxTypeBits)
		if !ok {
			return nil
		}
		t = bitsType(n)
	default:
		if t = c.namedType(m.Type); t == nil {
			return nil
		}
		if t.form == formLabel {
			c.errorf(m.Type.Pos, "member %s is a label; keep labels in registers", m.Name)
			return nil
		}
	}
	return c.array(t, m.Len, m.Name)
}

// array makes n of a type; without n it is the type itself.
func (c *checker) array(t *dataType, n syntax.Expr, name string) *dataType {
	if n == nil {
		return t
	}
	size, ok := c.positive(n, "the length of "+name, maxTypeBits/max(t.bits, 1))
	if !ok {
		return nil
	}
	return &dataType{form: formArray, name: fmt.Sprintf("%s[%d]", t.name, size), bits: t.bits * size, elem: t, len: size}
}

// namedType is the type of this name, nil after an error.
func (c *checker) namedType(r *syntax.TypeRef) *dataType {
	t, ok := c.types[r.Name]
	switch {
	case ok:
	case c.later[r.Name]:
		c.errorf(r.Pos, "type %s is not complete here: a type is declared before its use, and cannot hold itself", r.Name)
	default:
		c.errorf(r.Pos, "no type %s%s", r.Name, didYouMean(c, r.Name, c.types))
	}
	return t
}
