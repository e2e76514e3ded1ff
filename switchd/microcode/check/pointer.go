package check

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// pointer makes a value an address in LMEM: a pointer, a variable that holds
// one, an array, or a constant.
func (c *checker) pointer(v value, pos syntax.Pos) value {
	switch {
	case v.kind == kindPointer:
		return v
	case v.kind == kindConst:
		if v.n > isa.LMEMBytes {
			return c.rulef(pos, ruleLMEM, "address %d is outside of it", v.n)
		}
		return value{kind: kindPointer, typ: pointerTo(typeByte), off: int64(v.n)}
	case v.kind == kindPlace && v.typ.form == formPointer:
		e := &syntax.Name{Pos: pos, Text: "the pointer"}
		p, ok := c.place(v, isa.FieldBits, e)
		if !ok {
			return value{}
		}
		c.reads(operand{place: p, pos: pos, text: "the pointer", pointer: true}, v.old)
		return value{kind: kindPointer, typ: v.typ, base: p}
	case v.kind == kindPlace && v.typ.form == formArray && v.loc.lmem:
		return c.address(v, v.typ.elem, pos)
	case v.kind == kindPlace && v.typ.form == formRecord:
		return c.errorf(pos, "a %s is no pointer; use . for its members, and & for its address", v.typ.name)
	}
	return c.errorf(pos, "this is no pointer; (type *) makes a number one")
}

func (c *checker) addressOf(v value, e *syntax.Unary) value {
	if v.kind != kindPlace || !v.loc.lmem {
		return c.errorf(e.Pos, "%s has no address: & is for variables in lmem", syntax.Text(e.X))
	}
	return c.address(v, v.typ, e.Pos)
}

func (c *checker) address(v value, to *dataType, pos syntax.Pos) value {
	if v.loc.bit%8 != 0 {
		return c.errorf(pos, "this starts within a byte and has no address")
	}
	return value{kind: kindPointer, typ: pointerTo(to), base: v.loc.base, off: int64(v.loc.bit / 8)}
}

// pointee is what a pointer points to.
func (c *checker) pointee(p value, e syntax.Expr) value {
	if !p.ok() {
		return p
	}
	if p.off < -maxOffset || p.off > maxOffset {
		return c.rulef(e.Position(), ruleLMEM, "%s is outside of it, at byte %d", syntax.Text(e), p.off)
	}
	return value{kind: kindPlace, typ: p.typ.elem, loc: location{lmem: true, base: p.base, bit: int(p.off) * 8}}
}

func (c *checker) cast(e *syntax.Cast) value {
	t, ok := c.types[e.Type]
	if !ok {
		return c.errorf(e.Pos, "no type %s%s", e.Type, didYouMean(c, e.Type, c.types))
	}
	v := c.eval(e.X)
	if !v.ok() {
		return v
	}
	if v.kind == kindConst || v.kind == kindPointer || v.kind == kindPlace && !v.typ.scalar() || v.typ.form == formPointer {
		return c.pointer(v, e.Pos).as(pointerTo(t))
	}
	x, ok := c.load(v, e.X)
	if !ok {
		return value{}
	}
	return value{kind: kindPointer, typ: pointerTo(t), base: x}
}

func (c *checker) selector(e *syntax.Selector) value {
	v := c.eval(e.X)
	if !v.ok() {
		return v
	}
	if e.Arrow {
		if v = c.pointee(c.pointer(v, e.Pos), e); !v.ok() {
			return v
		}
	} else if v.kind == kindPointer || v.typ.form == formPointer {
		return c.errorf(e.Pos, "%s is a pointer; write %s->%s", syntax.Text(e.X), syntax.Text(e.X), e.Name)
	}
	if v.kind != kindPlace || v.typ.form != formRecord {
		return c.errorf(e.Pos, "%s is no struct and has no member %s", syntax.Text(e.X), e.Name)
	}
	f, ok := c.member(v.typ, e.Name, e.Pos)
	if !ok {
		return value{}
	}
	v.loc.bit += f.offset
	v.typ = f.typ
	return v
}

func (c *checker) member(t *dataType, name string, pos syntax.Pos) (field, bool) {
	f, ok := t.find(name)
	if !ok {
		c.errorf(pos, "%s has no member %s%s", t.name, name, didYouMean(c, name, t.index))
	}
	return f, ok
}

// index is an element of an array, or the n-th of what a pointer points to.
func (c *checker) index(e *syntax.Index) value {
	v, i := c.eval(e.X), c.eval(e.I)
	if !v.ok() || !i.ok() {
		return value{}
	}
	if v.kind == kindPlace && v.typ.form == formArray {
		if i.isConst() && i.constant() >= uint64(v.typ.len) {
			return c.errorf(e.Pos, "element %d of %s, which has %d", i.constant(), syntax.Text(e.X), v.typ.len)
		}
		if i.isConst() {
			v.typ = v.typ.elem
			v.loc.bit += int(i.constant()) * v.typ.bits
			return v
		}
		if !v.loc.lmem {
			return c.errorf(e.Pos, "%s is in registers, which are numbered when the program is compiled; use a constant index or lmem",
				syntax.Text(e.X))
		}
	}
	p := c.pointer(v, e.Pos)
	if !p.ok() {
		return p
	}
	return c.pointee(c.step(p, i, e), e)
}

// step moves a pointer by i elements. A variable i is scaled by a shift.
func (c *checker) step(p, i value, e *syntax.Index) value {
	size := p.typ.elem.bits / 8
	if p.typ.elem.bits%8 != 0 {
		return c.errorf(e.Pos, "elements of %d bits do not start at bytes; only a constant index finds them", p.typ.elem.bits)
	}
	if i.isConst() {
		if n := i.constant(); n > maxOffset || uint64(size)*n > maxOffset {
			return c.rulef(e.Pos, ruleLMEM, "%s is outside of it", syntax.Text(e))
		}
		p.off += int64(i.constant()) * int64(size)
		return p
	}
	if bits.OnesCount(uint(size)) != 1 {
		return c.rulef(e.Pos, ruleMultiply, "elements of %d bytes; pad them to a power of two, or use a constant index", size)
	}
	x, ok := c.load(i, e.I)
	if !ok {
		return value{}
	}
	if size > 1 {
		x = isa.Binary{Op: isa.ShiftLeft, X: x, Y: isa.Const(bits.TrailingZeros(uint(size)))}
	}
	p.base = sum(p.base, x)
	return p
}

// sum adds to an address that may have no variable part yet.
func sum(base, x isa.Expr) isa.Expr {
	if base == nil {
		return x
	}
	return isa.Binary{Op: isa.Add, X: base, Y: x}
}
