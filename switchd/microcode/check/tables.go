package check

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var (
	ruleFields = rule{fmt.Sprintf("a list has at most %d fields and %d bits", isa.MaxListFields, isa.MaxKeyBits),
		"assumed: as many bits as the largest transfer over the crossbar, trio §2.3"}
	ruleField = rule{"a field of a list is a bit-field of 1 to 64 bits at a fixed place or behind a pointer register",
		"assumed: the hash logic has no ALU to find it, trio §2.2"}
	ruleTables = rule{fmt.Sprintf("a program has at most %d lists of fields and %d tables", isa.MaxLists, isa.MaxTables), "assumed"}
)

// tableWords say what an argument of these kinds is, and how one is declared.
var tableWords = map[isa.ArgKind]struct{ what, declare string }{
	isa.ArgFields: {"a list of fields", "fields NAME { FIELD, ... };"},
	isa.ArgRoutes: {"a route table", "route NAME[ROUTES];"},
	isa.ArgFilter: {"a filter", "filter NAME[TERMS] on FIELDS;"},
}

// declareFields defines a list of fields.
func (c *checker) declareFields(d *syntax.FieldsDecl) {
	l := isa.FieldList{Name: d.Name, Pos: place(d.Pos)}
	for _, e := range d.List {
		p, ok := c.listed(e)
		if !ok {
			return
		}
		l.Fields = append(l.Fields, isa.Field{Place: p, Text: syntax.Text(e)})
		if n := len(l.Fields); n > isa.MaxListFields || l.Bits() > isa.MaxKeyBits {
			c.rulef(e.Position(), ruleFields, "with %s, %s has %s of %s", syntax.Text(e), d.Name, plural(n, "field"), plural(l.Bits(), "bit"))
			return
		}
	}
	if len(c.prog.Fields) == isa.MaxLists {
		c.rulef(d.Pos, ruleTables, "%s is one list too many", d.Name)
		return
	}
	c.define(d.Name, &symbol{pos: d.Pos, val: constant(uint64(len(c.prog.Fields))), typ: typeWord, kind: isa.ArgFields})
	c.prog.Fields = append(c.prog.Fields, l)
}

// listed is the place of one field of a list.
func (c *checker) listed(e syntax.Expr) (isa.Place, bool) {
	v := c.eval(e)
	if !v.ok() {
		return nil, false
	}
	if v.kind != kindPlace || v.typ.form == formLabel {
		c.rulef(e.Position(), ruleField, "%s is no variable and no field of a packet", syntax.Text(e))
		return nil, false
	}
	p, ok := c.place(v, isa.RegisterBits, e)
	if !ok {
		return nil, false
	}
	if m, lmem := p.(isa.LMEM); lmem && m.Base != nil {
		if _, pointer := m.Base.(isa.Reg); !pointer {
			c.rulef(e.Position(), ruleField, "the address of %s is computed; keep it in a pointer register", syntax.Text(e))
			return nil, false
		}
	}
	return p, true
}

// declareTable defines a table that the control plane fills.
func (c *checker) declareTable(d *syntax.TableDecl) {
	t := isa.Table{Name: d.Name, Kind: isa.TableRoutes, Pos: place(d.Pos)}
	kind, what, most := isa.ArgRoutes, "the number of routes of ", isa.MaxRoutes
	if d.Filter {
		t.Kind = isa.TableFilter
		kind, what, most = isa.ArgFilter, "the number of terms of ", isa.MaxTerms
	}
	var ok bool
	if t.Len, ok = c.positive(d.Len, what+d.Name, most); !ok {
		return
	}
	if d.Filter {
		s, found := c.names[d.Fields]
		if !found || s.kind != isa.ArgFields {
			c.errorf(d.At, "%s is no list of fields; declare one before with %s", d.Fields, tableWords[isa.ArgFields].declare)
			return
		}
		t.Fields = int(s.val.n)
	}
	if len(c.prog.Tables) == isa.MaxTables {
		c.rulef(d.Pos, ruleTables, "%s is one table too many", d.Name)
		return
	}
	c.define(d.Name, &symbol{pos: d.Pos, val: constant(uint64(len(c.prog.Tables))), typ: typeWord, kind: kind})
	c.prog.Tables = append(c.prog.Tables, t)
}

// named is an argument that is the name of a list of fields or of a table.
func (c *checker) named(spec *isa.Spec, a isa.Arg, e syntax.Expr) (isa.Expr, bool) {
	words := tableWords[a.Kind]
	n, ok := e.(*syntax.Name)
	if ok {
		if s, found := c.lookup(n.Text); found && s.kind == a.Kind {
			return isa.Const(s.val.n), true
		}
	}
	c.errorf(e.Position(), "argument %s of %s is the name of %s, and %s is none; declare one with %s",
		a.Name, spec.Name, words.what, syntax.Text(e), words.declare)
	return nil, false
}
