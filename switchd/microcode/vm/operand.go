package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// wrap is the width of the ALUs.
const wrap = 1<<isa.FieldBits - 1

// An operand is a value to be had: a bit-field of a register or wire, to which a
// constant is added, or a closure for all else. The first covers registers,
// wires, constants (the register is then zeroFile) and pointer steps (of fields
// of 32 bits) without a call.
type operand struct {
	eval  func(*Thread) uint64 // nil: (file[reg] >> shift + imm) & mask
	imm   uint64
	mask  uint64
	reg   uint8
	shift uint8
}

func (o *operand) get(t *Thread) uint64 {
	if o.eval != nil {
		return o.eval(t)
	}
	return o.field(t)
}

// field is get for an operand without a closure. Unlike get it is small enough
// to be inlined, so that hot code asks for eval itself.
func (o *operand) field(t *Thread) uint64 {
	return (t.file[o.reg%fileSize]>>(o.shift%64) + o.imm) & o.mask
}

// fixed returns the value of a constant.
func (o *operand) fixed() (uint64, bool) { return o.imm, o.eval == nil && o.reg == zeroFile }

func constant(v uint64) operand { return operand{imm: v, reg: zeroFile, mask: ^uint64(0)} }

// compileOperand turns an expression into an operand.
func compileOperand(e isa.Expr) operand {
	switch e := e.(type) {
	case isa.Const:
		return constant(uint64(e))
	case isa.Wire:
		return operand{reg: uint8(wireFile + int(e)), mask: wrap}
	case isa.Reg:
		return operand{reg: e.Num, shift: isa.RegisterBits - e.Bit - e.Width, mask: ones(e.Width)}
	case isa.LMEM:
		return operand{eval: compileLMEM(e)}
	case isa.Unary:
		return compileUnary(e)
	case isa.Binary:
		return compileBinary(e)
	case isa.Select:
		return compileSelect(e)
	case isa.Pair:
		hi, lo := compileOperand(e.Hi), compileOperand(e.Lo)
		return operand{eval: func(t *Thread) uint64 { return hi.get(t)<<isa.FieldBits | lo.get(t) }}
	}
	return constant(0) // Validate has refused a missing value
}

func compileUnary(e isa.Unary) operand {
	x := compileOperand(e.X)
	switch e.Op {
	case isa.Not:
		return operand{eval: func(t *Thread) uint64 { return ^x.get(t) & wrap }}
	case isa.Negate:
		return operand{eval: func(t *Thread) uint64 { return -x.get(t) & wrap }}
	}
	return operand{eval: func(t *Thread) uint64 { return truth(x.get(t) == 0) }}
}

// compileBinary folds constants, turns "field + constant" into an operand
// without a call, comparisons into tests, and all else into closures.
func compileBinary(e isa.Binary) operand {
	x, y := compileOperand(e.X), compileOperand(e.Y)
	if a, ok := x.fixed(); ok {
		if b, ok := y.fixed(); ok {
			return constant(alu(e.Op, a, b))
		}
		if e.Op == isa.Add {
			x, y = y, x
		}
	}
	if n, ok := y.fixed(); ok && x.eval == nil && x.mask == wrap {
		switch e.Op { // a field of 32 bits wraps around as the ALU does
		case isa.Add:
			x.imm += n
			return x
		case isa.Sub:
			x.imm -= n
			return x
		}
	}
	if e.Op >= isa.Equal {
		c := compileTest(e)
		return operand{eval: func(t *Thread) uint64 { return truth(c.holds(t)) }}
	}
	c := arithmetic{e.Op, x, y}
	return operand{eval: c.result}
}

// arithmetic is an operation with a 32-bit result.
type arithmetic struct {
	op   isa.Op
	x, y operand
}

// result fetches the operands without a call where they are fields, which most
// are, and picks the operation only then: that is faster than a closure for each
// operation that has to ask its operands.
func (c *arithmetic) result(t *Thread) uint64 {
	var x, y uint64
	if x = c.x.field(t); c.x.eval != nil {
		x = c.x.eval(t)
	}
	if y = c.y.field(t); c.y.eval != nil {
		y = c.y.eval(t)
	}
	switch c.op {
	case isa.Add:
		return (x + y) & wrap
	case isa.Sub:
		return (x - y) & wrap
	case isa.And:
		return x & y
	case isa.Or:
		return x | y
	case isa.Xor:
		return x ^ y
	case isa.ShiftLeft:
		return shiftLeft(x, y)
	}
	return x >> y // ShiftRight
}

// shiftLeft keeps 32 bits; shifts of 32 and more leave none of them.
func shiftLeft(x, n uint64) uint64 { return x << n & wrap }

// alu is an operation on two constants.
func alu(op isa.Op, a, b uint64) uint64 {
	if op >= isa.Equal {
		c := compileTest(isa.Binary{Op: op, X: isa.Const(a), Y: isa.Const(b)})
		return truth(c.holds(new(Thread)))
	}
	c := arithmetic{op, constant(a), constant(b)}
	return c.result(new(Thread))
}

func compileSelect(e isa.Select) operand {
	c, then, other := compileTest(e.If), compileOperand(e.Then), compileOperand(e.Else)
	return operand{eval: func(t *Thread) uint64 {
		if c.holds(t) {
			return then.get(t)
		}
		return other.get(t)
	}}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
