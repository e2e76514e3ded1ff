package vm

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

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
	left := &c.fields[from.Left]
	r := &relation{op: relationOp(from.Op), left: left, mask: ^uint64(0), constant: from.Right.Const, shift: 64 - left.bits}
	if from.Right.Kind == fit.FromField {
		r.right = &c.fields[from.Right.Field.Of(0)]
	}
	return inst{op: opUnless, rare: &rare{test: r}}
}

// relation is a compiled relation of a field and a field or constant.
type relation struct {
	op          relOp
	shift       uint8 // 64 less the bits of a number with a sign
	left, right *ref  // right nil: the constant, which the left one is held against under the mask
	mask        uint64
	constant    uint64
}

type relOp uint8

const (
	relEqual relOp = iota
	relNotEqual
	relLess
	relGreater
	relLessSigned
	relGreaterSigned
)

func relationOp(r ir.Relation) relOp {
	switch r {
	case ir.Equal:
		return relEqual
	case ir.NotEqual:
		return relNotEqual
	case ir.Less:
		return relLess
	case ir.Greater:
		return relGreater
	case ir.LessSigned:
		return relLessSigned
	case ir.GreaterSigned:
		return relGreaterSigned
	}
	panic("vm: relation " + string(r) + " went past fit")
}

// holds reports whether a relation holds for a packet.
func (s *Pass) holds(r *relation) bool {
	if r.right != nil {
		return r.of(s.get(r.left), s.get(r.right))
	}
	return r.of(s.get(r.left)&r.mask, r.constant)
}

// of reports whether it holds for two values.
func (r *relation) of(left, right uint64) bool {
	switch r.op {
	case relEqual:
		return left == right
	case relNotEqual:
		return left != right
	case relLess:
		return left < right
	case relGreater:
		return left > right
	case relLessSigned:
		return int64(left<<r.shift) < int64(right<<r.shift)
	default:
		return int64(left<<r.shift) > int64(right<<r.shift)
	}
}
