package check

import (
	"slices"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// A symbol is what a name stands for.
type symbol struct {
	pos     syntax.Pos
	library bool
	val     value
	wire    bool            // a name of one instruction
	decl    *syntax.VarDecl // of a bus that is assigned later
	set     bool            // a wire has its value
	kind    isa.ArgKind     // a list of fields or a table, whose number val is; 0: none
	typ     *dataType
}

// declareLabels numbers the instructions and their names.
func (c *checker) declareLabels(f *syntax.File) {
	n := 0
	for _, d := range f.Decls {
		in, ok := d.(*syntax.Instr)
		if !ok {
			continue
		}
		for _, l := range in.Labels {
			if _, dup := c.labels[l.Name]; dup {
				c.errorf(l.Pos, "label %s stands before two instructions", l.Name)
			}
			c.labels[l.Name] = n
		}
		first := ""
		if len(in.Labels) > 0 {
			first = in.Labels[0].Name
		}
		c.first = append(c.first, first)
		n++
	}
}

// declareNames declares constants, variables and shared memory in the order of
// the source: each may use those before it.
func (c *checker) declareNames(f *syntax.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.VarDecl:
			c.declareVar(d)
		case *syntax.SharedDecl:
			c.declareShared(d)
		case *syntax.FieldsDecl:
			c.declareFields(d)
		case *syntax.TableDecl:
			c.declareTable(d)
		case *syntax.HashDecl:
			c.declareHash(d)
		}
	}
}

// define adds a name; a declaration of the source replaces one of the prelude.
func (c *checker) define(name string, s *symbol) {
	s.library = c.library
	if old, dup := c.names[name]; dup && !old.library {
		c.errorf(s.pos, "%s is declared twice (first at %v)", name, old.pos)
		return
	}
	if _, dup := c.labels[name]; dup {
		c.errorf(s.pos, "%s is a label too", name)
		return
	}
	c.names[name] = s
}

func (c *checker) declareVar(d *syntax.VarDecl) {
	switch d.Storage {
	case syntax.StorageVirtual, syntax.StorageConst:
		c.declareConst(d)
	case syntax.StorageBus:
		c.errorf(d.Pos, "bus %s stands outside of an instruction; a bus is a wire within one instruction", d.Name)
	default:
		c.declareStored(d)
	}
}

// declareConst defines a constant.
func (c *checker) declareConst(d *syntax.VarDecl) {
	v := c.constDecl(d)
	c.define(d.Name, &symbol{pos: d.Pos, val: v, typ: v.typ})
	if v.ok() && v.kind != kindLabel {
		c.prog.Symbols = append(c.prog.Symbols, isa.Symbol{
			Name: d.Name, Kind: isa.SymbolConst, Export: d.Export, Value: v.constant(), Len: 1, Pos: place(d.Pos),
		})
	}
}

// constDecl is the value of a virtual.
func (c *checker) constDecl(d *syntax.VarDecl) value {
	t := c.varType(d)
	switch {
	case t == nil:
		return value{}
	case d.At != nil || d.Len != nil || !t.scalar():
		return c.errorf(d.Pos, "constant %s is a scalar or a pointer and has no place", d.Name)
	case d.Init == nil:
		return c.errorf(d.Pos, "constant %s has no value; write = and one", d.Name)
	}
	v := c.eval(d.Init)
	if !v.ok() {
		return value{}
	}
	if !v.isConst() && v.kind != kindLabel {
		return c.errorf(d.Init.Position(), "the value of %s is not known when the program is compiled", d.Name)
	}
	return c.convert(v, t, d)
}

// convert gives a value the type that a declaration names.
func (c *checker) convert(v value, t *dataType, d *syntax.VarDecl) value {
	switch {
	case (t.form == formLabel) != (v.kind == kindLabel):
		return c.errorf(d.Pos, "%s: a label variable holds labels, and nothing else does", d.Name)
	case t.form == formLabel:
		return v
	case t.form == formPointer:
		return c.pointer(v, d.Init.Position()).as(t)
	case d.Type.Name == "" && d.Type.Width == nil:
		return v // bits of any width
	case v.isConst() && t.form == formBool:
		return boolean(v.constant() != 0)
	case v.isConst() && !fits(v.constant(), t.bits):
		return c.errorf(d.Init.Position(), "%#x does not fit the %d bits of %s", v.constant(), t.bits, d.Name)
	case v.isConst():
		return value{kind: kindConst, typ: t, n: v.constant()}
	}
	v.typ = t
	return v
}

// varType is the type of a declaration without its [n], nil after an error.
func (c *checker) varType(d *syntax.VarDecl) *dataType {
	t := typeWord
	switch {
	case d.Type.Width != nil:
		n, ok := c.positive(d.Type.Width, "the width of "+d.Name, isa.RegisterBits)
		if !ok {
			return nil
		}
		t = bitsType(n)
	case d.Type.Name != "":
		if t = c.namedType(d.Type); t == nil {
			return nil
		}
	}
	if d.Type.Pointer {
		return pointerTo(t)
	}
	return t
}

// collectJumps finds the labels that each label variable is given anywhere: a
// goto through it can lead there, and nowhere else.
func (c *checker) collectJumps(f *syntax.File) {
	for _, d := range f.Decls {
		if in, ok := d.(*syntax.Instr); ok {
			j := jumps{c, map[string][]int{}}
			j.stmts(in.Body)
		}
		if v, ok := d.(*syntax.VarDecl); ok && v.Init != nil {
			if s := c.names[v.Name]; s != nil && s.typ == typeLabel && s.val.kind == kindPlace {
				jumps{checker: c}.record(s, v.Init)
			}
		}
	}
}

// jumps collects from one instruction, whose own names may stand for labels.
type jumps struct {
	*checker
	locals map[string][]int
}

func (j jumps) stmts(list []syntax.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.DeclStmt:
			j.locals[s.Var.Name] = j.targets(s.Var.Init)
		case *syntax.AssignStmt:
			j.assign(s)
		case *syntax.IfStmt:
			j.stmts(s.Then)
			j.stmts(s.Else)
		case *syntax.SwitchStmt:
			for _, a := range s.Cases {
				j.stmts(a.Body)
			}
		}
	}
}

func (j jumps) assign(s *syntax.AssignStmt) {
	name, ok := s.LHS.(*syntax.Name)
	if !ok {
		return
	}
	if _, local := j.locals[name.Text]; local {
		j.locals[name.Text] = j.targets(s.RHS)
	} else if sym := j.names[name.Text]; sym != nil && sym.typ == typeLabel {
		j.record(sym, s.RHS)
	}
}

// record notes that a label variable can hold what an expression is.
func (j jumps) record(s *symbol, e syntax.Expr) {
	for _, n := range j.targets(e) {
		if !slices.Contains(j.jumps[s], n) {
			j.jumps[s] = append(j.jumps[s], n)
		}
	}
}

// targets lists the labels that an expression can be.
func (j jumps) targets(e syntax.Expr) []int {
	switch e := e.(type) {
	case *syntax.Name:
		if list, local := j.locals[e.Text]; local {
			return list
		}
		if alias := j.names[e.Text]; alias != nil && alias.val.kind == kindLabel {
			return []int{int(alias.val.n)}
		}
		if n, ok := j.labels[e.Text]; ok {
			return []int{n}
		}
	case *syntax.Conditional:
		list := slices.Concat(j.targets(e.Then), j.targets(e.Else))
		slices.Sort(list)
		return slices.Compact(list)
	}
	return nil
}
