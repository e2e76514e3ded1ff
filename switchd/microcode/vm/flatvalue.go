package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// value emits what a value takes.
func (f *flattener) value(e isa.Expr) flatValue {
	switch e := e.(type) {
	case isa.Const:
		return flatConst(uint64(e))
	case isa.Wire:
		return flatValue{reg: uint8(wireFile + int(e)), value: wrap}
	case isa.Reg:
		return flatValue{reg: e.Num, shift: isa.RegisterBits - e.Bit - e.Width, value: ones(e.Width)}
	case isa.LMEM:
		return f.load(e)
	case isa.Unary:
		return f.unary(e)
	case isa.Binary:
		return f.binary(e)
	case isa.Select:
		return f.choose(e)
	case isa.Pair:
		hi := f.value(e.Hi)
		return f.result(withBoth(flatOp{kind: flatPair}, hi, f.value(e.Lo)))
	}
	f.failed = true
	return flatValue{}
}

// load reads a field of LMEM.
func (f *flattener) load(e isa.LMEM) flatValue {
	width := int32(e.Width)
	switch {
	case e.Base != nil:
		base := f.value(e.Base)
		f.mayFault = true
		return f.result(with(flatOp{kind: flatLoadAt, at: e.Bit, width: width}, base))
	case !narrow(e.Bit, width):
		return f.result(flatOp{kind: flatLoadBit, at: e.Bit, width: width})
	}
	start, shift := window(e.Bit, width)
	return f.result(flatOp{kind: flatLoad, at: int32(start), flatValue: flatValue{reg: zeroFile, shift: shift, value: ones(e.Width)}})
}

func (f *flattener) unary(e isa.Unary) flatValue {
	x := f.value(e.X)
	switch e.Op {
	case isa.Not:
		x.value &= wrap
		return f.result(withBoth(flatOp{kind: flatXor}, x, flatConst(wrap)))
	case isa.Negate:
		return f.result(withBoth(flatOp{kind: flatSub}, flatConst(0), x))
	}
	return f.within(isa.Equal, x, 0)
}

// within returns the truth of a comparison with a constant.
func (f *flattener) within(op isa.Op, x flatValue, n uint64) flatValue {
	s := spanOf(op, n)
	return f.result(with(flatOp{kind: flatWithin, from: s.from, more: s.more, on: !s.not}, x))
}

// arithmeticKinds are the operations of the ALUs.
var arithmeticKinds = [...]flatKind{isa.Add: flatAdd, isa.Sub: flatSub, isa.And: flatAnd, isa.Or: flatOr, isa.Xor: flatXor,
	isa.ShiftLeft: flatLeft, isa.ShiftRight: flatRight}

func (f *flattener) binary(e isa.Binary) flatValue {
	if e.Op == isa.LogicalAnd || e.Op == isa.LogicalOr {
		return f.truth(e)
	}
	x := f.value(e.X)
	y := f.value(e.Y)
	switch {
	case x.fixed() && y.fixed():
		return flatConst(alu(e.Op, x.add, y.add))
	case e.Op >= isa.Equal && y.fixed():
		return f.within(e.Op, x, y.add)
	case e.Op >= isa.Equal:
		return f.truthOf(f.compare(e.Op, x, y, false))
	case e.Op == isa.Add && x.fixed():
		x, y = y, x
	}
	if y.fixed() && x.value == wrap { // a field of 32 bits wraps around as the ALU does
		switch e.Op {
		case isa.Add:
			x.add += y.add
			return x
		case isa.Sub:
			x.add -= y.add
			return x
		}
	}
	return f.result(withBoth(flatOp{kind: arithmeticKinds[e.Op]}, x, y))
}

// truth returns 1 for a condition that holds, else 0.
func (f *flattener) truth(e isa.Expr) flatValue { return f.truthOf(f.jump(e, false)) }

// truthOf returns 0 where jumps lead, and 1 where none is done.
func (f *flattener) truthOf(jumps []int) flatValue {
	out := whole(f.temporary())
	set := flatOp{to: out.reg, mask: ^uint64(0)}
	f.emit(with(set, flatConst(1)))
	end := f.leap()
	f.here(jumps)
	f.emit(with(set, flatConst(0)))
	f.here(end)
	return out
}

// leap emits a jump.
func (f *flattener) leap() []int {
	f.emit(flatOp{kind: flatJump})
	return []int{len(f.ops) - 1}
}

// choose returns one of two values.
func (f *flattener) choose(e isa.Select) flatValue {
	out := whole(f.temporary())
	set := flatOp{to: out.reg, mask: ^uint64(0)}
	other := f.jump(e.If, false)
	f.put(e.Then, set)
	end := f.leap()
	f.here(other)
	f.put(e.Else, set)
	f.here(end)
	return out
}

// jump emits jumps that are done if a condition comes to that.
func (f *flattener) jump(e isa.Expr, on bool) []int {
	switch c := e.(type) {
	case isa.Unary:
		if c.Op == isa.LogicalNot {
			return f.jump(c.X, !on)
		}
	case isa.Binary:
		switch {
		case c.Op == isa.LogicalAnd && !on || c.Op == isa.LogicalOr && on:
			first := f.jump(c.X, on)
			return append(first, f.jump(c.Y, on)...)
		case c.Op == isa.LogicalAnd || c.Op == isa.LogicalOr:
			stay := f.jump(c.X, !on)
			out := f.jump(c.Y, on)
			f.here(stay)
			return out
		case c.Op >= isa.Equal:
			x := f.value(c.X)
			return f.compare(c.Op, x, f.value(c.Y), on)
		}
	}
	return f.compare(isa.NotEqual, f.value(e), flatConst(0), on)
}

// compare emits a jump that is done if a comparison comes to that.
func (f *flattener) compare(op isa.Op, x, y flatValue, on bool) []int {
	if x.fixed() {
		x, y, op = y, x, mirrored(op)
	}
	if y.fixed() {
		s := spanOf(op, y.add)
		f.emit(with(flatOp{kind: flatIf, from: s.from, more: s.more, on: on != s.not}, x))
	} else {
		f.emit(withBoth(flatOp{kind: flatCompare, op: op, on: on}, x, y))
	}
	return []int{len(f.ops) - 1}
}
