package check

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// A valueKind says how an expression is known.
type valueKind int

const (
	kindBad      valueKind = iota // an error has been reported
	kindConst                     // n
	kindPlace                     // what is stored at loc, of any type
	kindComputed                  // expr, of width bits
	kindPointer                   // the LMEM address base + off
	kindLabel                     // instruction n
)

// A value is an expression, evaluated as far as the compiler can.
type value struct {
	kind  valueKind
	typ   *dataType
	n     uint64
	loc   location
	expr  isa.Expr
	width int
	base  isa.Expr // nil: off is the address
	off   int64    // bytes
	old   bool     // a name for what was stored before the instruction
}

// A location is where a variable or field is stored.
type location struct {
	lmem bool
	base isa.Expr // LMEM byte address; nil: 0
	bit  int      // from base, or in all registers: 64 x number + bit
}

var (
	ruleOperand  = rule{"an operand or result is a bit-field of at most 32 bits", "trio §2.2"}
	ruleStraddle = rule{"an operand is a bit-field of one register of 64 bits", "trio §2.2"}
	ruleOldValue = rule{"an instruction reads registers and local memory as they were before it", "trio §2.2"}
)

func constant(n uint64) value { return value{kind: kindConst, typ: typeWord, n: n} }

func computed(e isa.Expr, width int) value {
	return value{kind: kindComputed, typ: typeWord, expr: e, width: width}
}

func (v value) ok() bool { return v.kind != kindBad }

// as is the value with another type. A bad value stays as it is.
func (v value) as(t *dataType) value {
	if v.ok() {
		v.typ = t
	}
	return v
}

// isConst reports a value known when the program is compiled.
func (v value) isConst() bool { return v.kind == kindConst || v.kind == kindPointer && v.base == nil }

// constant is the value of what isConst, and the number of a label.
func (v value) constant() uint64 {
	if v.kind == kindPointer {
		return uint64(v.off)
	}
	return v.n
}

// fits reports whether n is a number of so many bits, unsigned or as two's
// complement.
func fits(n uint64, width int) bool {
	if bits.Len64(n) <= width {
		return true
	}
	return width > 0 && int64(n) < 0 && int64(n) >= -1<<(width-1)
}

// place is the isa place of a scalar of at most so many bits; false after an
// error, which names e.
func (c *checker) place(v value, limit int, e syntax.Expr) (isa.Place, bool) {
	t := v.typ
	if t.form == formRecord && t.bits > limit || t.form == formArray {
		c.errorf(e.Position(), "%s is a %s; name one of its parts", syntax.Text(e), t.name)
		return nil, false
	}
	if t.bits > limit {
		c.rulef(e.Position(), ruleOperand, "%s has %d bits; take a part such as %s[31:0]", syntax.Text(e), t.bits, syntax.Text(e))
		return nil, false
	}
	if t.bits == 0 {
		c.errorf(e.Position(), "%s has no bits", syntax.Text(e))
		return nil, false
	}
	if v.loc.lmem {
		return c.lmemPlace(v, e)
	}
	num, bit := v.loc.bit/isa.RegisterBits, v.loc.bit%isa.RegisterBits
	if bit+t.bits > isa.RegisterBits {
		c.rulef(e.Position(), ruleStraddle, "%s lies in two registers; pad the struct so that it starts in the second", syntax.Text(e))
		return nil, false
	}
	return isa.Reg{Num: uint8(num), Bit: uint8(bit), Width: uint8(t.bits)}, true
}

// maxOffset bounds the constant part of an address, in bytes: more than the
// whole of LMEM, forwards or backwards, is outside of it.
const maxOffset = isa.LMEMBytes

func (c *checker) lmemPlace(v value, e syntax.Expr) (isa.Place, bool) {
	last := v.loc.bit + v.typ.bits
	if v.loc.base == nil && (v.loc.bit < 0 || last > isa.LMEMBits) || v.loc.bit < -maxOffset*8 || last > maxOffset*8 {
		c.rulef(e.Position(), ruleLMEM, "%s is outside of it, at byte %d", syntax.Text(e), v.loc.bit/8)
		return nil, false
	}
	return isa.LMEM{Base: v.loc.base, Bit: int32(v.loc.bit), Width: uint8(v.typ.bits)}, true
}

// load is the isa expression of a value of at most 32 bits.
func (c *checker) load(v value, e syntax.Expr) (isa.Expr, bool) {
	return c.loadUpTo(v, isa.FieldBits, e)
}

func (c *checker) loadUpTo(v value, limit int, e syntax.Expr) (isa.Expr, bool) {
	switch v.kind {
	case kindConst:
		return c.loadConst(v.n, limit, e)
	case kindLabel:
		return isa.Const(v.n), true
	case kindComputed:
		return v.expr, true
	case kindPointer:
		return c.loadPointer(v, e)
	case kindPlace:
		if v.typ.form == formArray && v.loc.lmem {
			return c.loadUpTo(c.pointer(v, e.Position()), limit, e)
		}
		p, ok := c.place(v, limit, e)
		if !ok {
			return nil, false
		}
		c.reads(operand{place: p, pos: e.Position(), text: syntax.Text(e)}, v.old)
		return p, true
	}
	return nil, false
}

func (c *checker) loadConst(n uint64, limit int, e syntax.Expr) (isa.Expr, bool) {
	if !fits(n, limit) {
		c.rulef(e.Position(), ruleOperand, "%#x needs more than %d bits", n, limit)
		return nil, false
	}
	if limit < 64 {
		n &= 1<<limit - 1
	}
	return isa.Const(n), true
}

func (c *checker) loadPointer(v value, e syntax.Expr) (isa.Expr, bool) {
	switch {
	case v.base == nil:
		return c.loadConst(uint64(v.off), isa.FieldBits, e)
	case v.off == 0:
		return v.base, true
	case v.off < 0:
		return isa.Binary{Op: isa.Sub, X: v.base, Y: isa.Const(uint32(-v.off))}, true
	}
	return isa.Binary{Op: isa.Add, X: v.base, Y: isa.Const(uint32(v.off))}, true
}

// widthOf is how many low bits of a loaded value can be set.
func widthOf(e isa.Expr, v value) int {
	switch e := e.(type) {
	case isa.Const:
		return bits.Len64(uint64(e))
	case isa.Reg:
		return int(e.Width)
	case isa.LMEM:
		return int(e.Width)
	}
	if v.kind == kindComputed {
		return v.width
	}
	return isa.FieldBits
}

// positive evaluates a constant of 1 to limit.
func (c *checker) positive(e syntax.Expr, what string, limit int) (int, bool) {
	n, ok := c.number(e, what)
	if !ok {
		return 0, false
	}
	if n == 0 || n > uint64(limit) {
		c.errorf(e.Position(), "%s is %d; it must be 1 to %d", what, n, limit)
		return 0, false
	}
	return int(n), true
}

// number evaluates a constant.
func (c *checker) number(e syntax.Expr, what string) (uint64, bool) {
	v := c.eval(e)
	if !v.ok() {
		return 0, false
	}
	if !v.isConst() {
		c.errorf(e.Position(), "%s is not known when the program is compiled", what)
		return 0, false
	}
	return v.constant(), true
}
