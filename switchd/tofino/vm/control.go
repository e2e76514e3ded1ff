package vm

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// test is a compiled condition.
type test func(*Pass) bool

// compileSteps appends steps to a list, whose conditions jump within it.
func (c *Code) compileSteps(out instructions, steps []fit.Step) instructions {
	for i := range steps {
		st := &steps[i]
		if st.Apply != fit.NoTable {
			out = append(out, c.apply(st.Apply)...)
			continue
		}
		var exits []int
		for cond := st.If; cond != nil; cond = cond.And {
			exits = append(exits, len(out))
			out = append(out, c.compileCond(cond))
		}
		out = c.compileSteps(out, st.Then)
		end := len(out)
		if len(st.Else) > 0 {
			out = append(out, inst{op: opJump})
		}
		for _, at := range exits {
			out[at].jump = int32(len(out))
		}
		if len(st.Else) > 0 {
			out = c.compileSteps(out, st.Else)
			out[end].jump = int32(len(out))
		}
	}
	return out
}

// compileCond compiles one relation of a condition, without those that it is joined
// with.
func (c *Code) compileCond(from *fit.Cond) inst {
	if from.Valid != fit.NoHeader {
		return inst{op: opUnlessValid, dst: int32(from.Valid)}
	}
	if left := &c.fields[from.Left]; left.kind == inSlot {
		in := inst{a: int16(left.off), imm: from.Right.Const}
		switch right := from.Right; {
		case right.Kind == fit.Const && from.Op == ir.Equal:
			in.op = opUnlessEqual
			return in
		case right.Kind == fit.Const && from.Op == ir.NotEqual:
			in.op = opUnlessUnequal
			return in
		case right.Kind == fit.Const && from.Op == ir.Greater:
			in.op = opUnlessAbove
			return in
		case right.Kind == fit.FromField && from.Op == ir.Less:
			if r := &c.fields[right.Field.Of(0)]; r.kind == inSlot {
				in.op, in.b = opUnlessLess, int16(r.off)
				return in
			}
		}
	}
	return inst{op: opUnless, rare: &rare{test: c.compileRelation(from)}}
}

func (c *Code) compileRelation(from *fit.Cond) test {
	r := &c.fields[from.Left]
	left, right, bits := c.operand(fit.Operand{Kind: fit.FromField, Field: fit.Ref{ID: from.Left}}, 0), c.operand(from.Right, 0), r.bits
	switch from.Op {
	case ir.Equal:
		return func(s *Pass) bool { return left(s) == right(s) }
	case ir.NotEqual:
		return func(s *Pass) bool { return left(s) != right(s) }
	case ir.Less:
		return func(s *Pass) bool { return left(s) < right(s) }
	case ir.Greater:
		return func(s *Pass) bool { return left(s) > right(s) }
	case ir.LessSigned:
		return func(s *Pass) bool { return signed(left(s), bits) < signed(right(s), bits) }
	case ir.GreaterSigned:
		return func(s *Pass) bool { return signed(left(s), bits) > signed(right(s), bits) }
	}
	panic("vm: relation " + string(from.Op) + " went past fit")
}
