package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// declareLocal declares a name of one instruction.
func (c *checker) declareLocal(d *syntax.VarDecl) {
	switch {
	case d.Storage == syntax.StorageNone:
		c.errorf(d.Pos, "%s has no storage class; within an instruction write bus, const or virtual before its type", d.Name)
		return
	case d.Storage != syntax.StorageBus && d.Storage != syntax.StorageConst && d.Storage != syntax.StorageVirtual:
		c.errorf(d.Pos, "%s %s within an instruction; declare what is stored outside of begin and end", d.Storage, d.Name)
		return
	case d.Export || d.At != nil || d.Len != nil:
		c.errorf(d.Pos, "%s is a wire of one instruction: it has no elements, no place and is not exported", d.Name)
		return
	}
	if old, dup := c.in.locals[d.Name]; dup {
		c.errorf(d.Pos, "%s is declared twice (first at %v)", d.Name, old.pos)
		return
	}
	s := &symbol{pos: d.Pos, wire: true}
	c.in.locals[d.Name] = s
	switch {
	case d.Storage == syntax.StorageVirtual:
		s.val = c.constDecl(d)
		s.set, s.typ = true, s.val.typ
	case d.Init != nil:
		c.setWire(s, d, d.Init)
	case d.Storage == syntax.StorageConst:
		c.errorf(d.Pos, "constant %s has no value; write = and one", d.Name)
		s.set = true
	default:
		s.typ = c.varType(d)
		s.decl = d
	}
}

// setWire gives a wire its value. After an error the value is bad.
func (c *checker) setWire(s *symbol, d *syntax.VarDecl, init syntax.Expr) {
	s.set = true
	t := c.varType(d)
	if t == nil {
		return
	}
	s.typ = t
	v := c.eval(init)
	if !v.ok() {
		return
	}
	if v.isConst() || v.kind == kindLabel {
		with := *d
		with.Init = init
		s.val = c.convert(v, t, &with)
		return
	}
	untyped := d.Type.Name == "" && d.Type.Width == nil
	switch {
	case t.form == formLabel || v.typ.form == formLabel:
		c.errorf(init.Position(), "a wire holds no label that is only known when the program runs")
	case t.form == formPointer:
		s.val = c.pointerWire(v, t, init)
	case v.kind == kindPlace && (untyped || v.typ.form == t.form && v.typ.bits <= t.bits):
		s.val = c.alias(v, init)
	case !t.scalar():
		c.errorf(init.Position(), "%s is a %s, and %s is not", d.Name, t.name, syntax.Text(init))
	default:
		s.val = c.scalarWire(v, t, untyped, init)
	}
}

// alias is another name for what is stored; it keeps meaning the old value when
// the instruction has assigned a new one.
func (c *checker) alias(v value, e syntax.Expr) value {
	if v.typ.scalar() {
		p, ok := c.place(v, isa.RegisterBits, e)
		if !ok {
			return value{}
		}
		n := len(c.in.reads)
		c.reads(operand{place: p, pos: e.Position(), text: syntax.Text(e)}, v.old)
		c.in.reads = c.in.reads[:n] // it counts where it is used
	}
	v.old = true
	return v
}

func (c *checker) pointerWire(v value, t *dataType, e syntax.Expr) value {
	if !isAddress(v) {
		return c.errorf(e.Position(), "%s is no pointer; (type *) makes a number one", syntax.Text(e))
	}
	p := c.pointer(v, e.Position())
	p.base = c.in.wire(p.base)
	return p.as(t)
}

func (c *checker) scalarWire(v value, t *dataType, untyped bool, e syntax.Expr) value {
	x, ok := c.load(v, e)
	if !ok {
		return value{}
	}
	width := widthOf(x, v)
	switch {
	case untyped:
	case t.form == formBool && width > 1:
		x, width = isa.Binary{Op: isa.NotEqual, X: x, Y: isa.Const(0)}, 1
	case t.bits < width:
		x, width = isa.Binary{Op: isa.And, X: x, Y: isa.Const(uint64(1)<<t.bits - 1)}, t.bits
	}
	return computed(c.in.wire(x), width)
}

// assignLocal handles an assignment to a name of the instruction; false if the
// left side is none.
func (c *checker) assignLocal(s *syntax.AssignStmt, rhs syntax.Expr) bool {
	name := root(s.LHS)
	if name == nil {
		return false
	}
	sym, ok := c.in.locals[name.Text]
	if !ok {
		return false
	}
	switch _, whole := s.LHS.(*syntax.Name); {
	case sym.decl == nil || sym.set:
		c.errorf(s.Pos, "%s is a wire and has its value already; a wire is assigned once", name.Text)
	case !whole:
		c.errorf(s.Pos, "%s is a wire; it is assigned as a whole", name.Text)
	case s.Op != "":
		c.errorf(s.Pos, "%s has no value yet that %s= could change", name.Text, s.Op)
	case c.in.state.path != nil:
		c.errorf(s.Pos, "%s is a wire and must have a value in every case; assign it outside of if and switch, with ?:", name.Text)
	default:
		c.setWire(sym, sym.decl, rhs)
	}
	return true
}

// root is the name whose storage an expression is part of; nil behind a pointer.
func root(e syntax.Expr) *syntax.Name {
	for {
		switch x := e.(type) {
		case *syntax.Name:
			return x
		case *syntax.Selector:
			if x.Arrow {
				return nil
			}
			e = x.X
		case *syntax.Slice:
			e = x.X
		default:
			return nil
		}
	}
}
