package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// eval evaluates an expression; the value is bad after an error.
func (c *checker) eval(e syntax.Expr) value {
	switch e := e.(type) {
	case *syntax.Number:
		v := constant(e.Value)
		if e.Bool {
			v.typ = typeBool
		}
		return v
	case *syntax.Name:
		return c.name(e)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Conditional:
		return c.conditional(e)
	case *syntax.Selector:
		return c.selector(e)
	case *syntax.Index:
		return c.index(e)
	case *syntax.Slice:
		return c.slice(e)
	case *syntax.Cast:
		return c.cast(e)
	case *syntax.Sizeof:
		return c.sizeof(e)
	case *syntax.Offsetof:
		return c.offsetof(e)
	case *syntax.CallExpr:
		c.misplacedCall(e)
	}
	return value{}
}

// misplacedCall says why a call cannot stand within an expression.
func (c *checker) misplacedCall(e *syntax.CallExpr) {
	if e.Name == pairName {
		c.errorf(e.Pos, "pair makes an argument of 64 bits and stands nowhere else")
		return
	}
	if _, ok := c.xtxn(e); ok {
		c.errorf(e.Pos,
			"%s within an expression: its reply arrives after the instruction; assign it to a variable and use that in the next", e.Name)
	}
}

func (c *checker) name(e *syntax.Name) value {
	s, ok := c.lookup(e.Text)
	if ok {
		if s.wire && !s.set {
			return c.errorf(e.Pos, "bus %s is read before it has a value in this instruction", e.Text)
		}
		if s.kind != 0 {
			return c.errorf(e.Pos, "%s is %s, and stands as an argument of an XTXN only", e.Text, tableWords[s.kind].what)
		}
		return s.val
	}
	if n, ok := c.labels[e.Text]; ok {
		return value{kind: kindLabel, typ: typeLabel, n: uint64(n)}
	}
	if _, ok := c.types[e.Text]; ok {
		return c.errorf(e.Pos, "%s is a type; a value is wanted", e.Text)
	}
	return c.errorf(e.Pos, "no variable, constant or label %s%s", e.Text, didYouMean(c, e.Text, c.names))
}

func (c *checker) lookup(name string) (*symbol, bool) {
	if c.in != nil {
		if s, ok := c.in.locals[name]; ok {
			return s, true
		}
	}
	s, ok := c.names[name]
	return s, ok
}

var unaryOps = map[string]isa.Op{"-": isa.Negate, "~": isa.Not, "!": isa.LogicalNot}

func (c *checker) unary(e *syntax.Unary) value {
	v := c.eval(e.X)
	if !v.ok() {
		return v
	}
	switch e.Op {
	case "&":
		return c.addressOf(v, e)
	case "*":
		return c.pointee(c.pointer(v, e.Pos), e)
	}
	if v.isConst() {
		return foldUnary(e.Op, v.constant())
	}
	x, ok := c.load(v, e.X)
	if !ok {
		return value{}
	}
	width := isa.FieldBits
	if e.Op == "!" {
		width = 1
	}
	return computed(isa.Unary{Op: unaryOps[e.Op], X: x}, width)
}

func (c *checker) conditional(e *syntax.Conditional) value {
	cond, then, other := c.eval(e.If), c.eval(e.Then), c.eval(e.Else)
	if !cond.ok() || !then.ok() || !other.ok() {
		return value{}
	}
	if cond.isConst() {
		if cond.constant() != 0 {
			return then
		}
		return other
	}
	i, ok1 := c.load(cond, e.If)
	t, ok2 := c.load(then, e.Then)
	o, ok3 := c.load(other, e.Else)
	if !ok1 || !ok2 || !ok3 {
		return value{}
	}
	v := computed(isa.Select{If: i, Then: t, Else: o}, max(widthOf(t, then), widthOf(o, other)))
	if then.kind == kindLabel && other.kind == kindLabel {
		v.typ = typeLabel
	} else if p := pointerType(then, other); p != nil {
		return value{kind: kindPointer, typ: p, base: v.expr}
	}
	return v
}

// pointerType is the type of what both are pointers to, if both are.
func pointerType(a, b value) *dataType {
	if a.typ.form == formPointer && b.typ.form == formPointer {
		return a.typ
	}
	return nil
}

// slice takes bits of a value. Of what is stored it makes a smaller field; of a
// result it shifts and masks.
func (c *checker) slice(e *syntax.Slice) value {
	v := c.eval(e.X)
	hi, ok1 := c.number(e.Hi, "the upper bit")
	lo, ok2 := c.number(e.Lo, "the lower bit")
	if !v.ok() || !ok1 || !ok2 {
		return value{}
	}
	size := isa.FieldBits
	if v.kind == kindPlace || v.kind == kindConst && v.typ != typeWord {
		size = v.typ.bits
	} else if v.isConst() {
		size = isa.RegisterBits
	}
	if lo > hi || hi >= uint64(size) {
		return c.errorf(e.Pos, "bits [%d:%d] are not within the %d bits of %s; the higher stands first", hi, lo, size, syntax.Text(e.X))
	}
	width := int(hi - lo + 1)
	switch {
	case v.isConst():
		n := v.constant() >> lo
		if width < 64 {
			n &= 1<<width - 1
		}
		return constant(n)
	case v.kind == kindPlace && v.typ.form != formArray:
		v.loc.bit += v.typ.bits - 1 - int(hi)
		v.typ = bitsType(width)
		return v
	}
	return c.sliceResult(v, e.X, int(lo), width)
}

func (c *checker) sliceResult(v value, x syntax.Expr, lo, width int) value {
	e, ok := c.load(v, x)
	if !ok {
		return value{}
	}
	if lo > 0 {
		e = isa.Binary{Op: isa.ShiftRight, X: e, Y: isa.Const(lo)}
	}
	if lo+width < isa.FieldBits {
		e = isa.Binary{Op: isa.And, X: e, Y: isa.Const(uint64(1)<<width - 1)}
	}
	return computed(e, width)
}

func (c *checker) sizeof(e *syntax.Sizeof) value {
	if n, ok := e.X.(*syntax.Name); ok {
		if t, ok := c.types[n.Text]; ok {
			return constant(uint64(t.bytes()))
		}
	}
	if c.in != nil { // the operand is not read
		quiet := c.in.quiet
		c.in.quiet = true
		defer func() { c.in.quiet = quiet }()
	}
	v := c.eval(e.X)
	if !v.ok() {
		return v
	}
	return constant(uint64(v.typ.bytes()))
}

func (c *checker) offsetof(e *syntax.Offsetof) value {
	t, ok := c.types[e.Type]
	if !ok {
		return c.errorf(e.Pos, "no type %s%s", e.Type, didYouMean(c, e.Type, c.types))
	}
	bit := 0
	for _, name := range e.Path {
		f, ok := c.member(t, name, e.Pos)
		if !ok {
			return value{}
		}
		bit += f.offset
		t = f.typ
	}
	if bit%8 != 0 {
		return c.errorf(e.Pos, "%s starts within a byte, at bit %d", e.Path[len(e.Path)-1], bit)
	}
	return constant(uint64(bit / 8))
}
