package vm

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Instr is one instruction of a control.
type Instr struct {
	Op    Opcode
	Table fit.TableID // of Apply
	Cond  *fit.Cond   // of Unless, without those that it is joined with
	To    int         // of Unless and Jump: instruction to go on with
	test  test
}

// Opcode names an instruction.
type Opcode uint8

// The instructions.
const (
	Apply  Opcode = iota // look up a table and do the action that matches
	Unless               // jump unless a condition holds
	Jump
)

// compileSteps appends steps to a list, whose conditions jump within it.
func (c *Code) compileSteps(out []Instr, steps []fit.Step) []Instr {
	for i := range steps {
		st := &steps[i]
		if st.Apply != fit.NoTable {
			out = append(out, Instr{Op: Apply, Table: st.Apply})
			continue
		}
		var exits []int
		for cond := st.If; cond != nil; cond = cond.And {
			exits = append(exits, len(out))
			out = append(out, Instr{Op: Unless, Cond: cond, test: c.compileCond(cond)})
		}
		out = c.compileSteps(out, st.Then)
		end := len(out)
		if len(st.Else) > 0 {
			out = append(out, Instr{Op: Jump})
		}
		for _, at := range exits {
			out[at].To = len(out)
		}
		if len(st.Else) > 0 {
			out = c.compileSteps(out, st.Else)
			out[end].To = len(out)
		}
	}
	return out
}

// test is a compiled relation of a field and a field or constant.
type test struct {
	op          relOp
	shift       uint8 // 64 less the bits of a number with a sign
	left, right *Ref  // left nil: whether a header is valid; right nil: the constant
	constant    uint64
}

// compileCond compiles one relation of a condition.
func (c *Code) compileCond(from *fit.Cond) (t test) {
	if from.Valid != fit.NoHeader {
		return t
	}
	left := &c.fields[from.Left]
	t = test{op: relationOp(from.Op), left: left, constant: from.Right.Const, shift: 64 - left.Bits}
	if from.Right.Kind == fit.FromField {
		t.right = &c.fields[from.Right.Field.Of(0)]
	}
	return t
}

type relOp uint8

const (
	relNone relOp = iota
	relEqual
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

// Holds reports whether the condition of an Unless holds for a packet.
func (in *Instr) Holds(s *Pass) bool {
	t := &in.test
	if t.left == nil {
		return s.Valid(in.Cond.Valid)
	}
	right := t.constant
	if t.right != nil {
		right = s.Get(t.right)
	}
	return in.Compare(s.Get(t.left), right)
}

// Compare reports whether the relation of an Unless holds for two values.
func (in *Instr) Compare(left, right uint64) bool {
	switch t := &in.test; t.op {
	case relEqual:
		return left == right
	case relNotEqual:
		return left != right
	case relLess:
		return left < right
	case relGreater:
		return left > right
	case relLessSigned:
		return int64(left<<t.shift) < int64(right<<t.shift)
	default:
		return int64(left<<t.shift) > int64(right<<t.shift)
	}
}

// RunFrom runs the control of a side from an instruction to its end.
func (s *Pass) RunFrom(which fit.Side, pc int) {
	code := s.code.sides[which].control
	for pc < len(code) {
		in := &code[pc]
		pc++
		switch {
		case in.Op == Apply:
			s.Apply(in.Table)
		case in.Op == Jump || !in.Holds(s):
			pc = in.To
		}
	}
}

// Apply looks a table up and does what matches; all copies where they match as one.
func (s *Pass) Apply(id fit.TableID) {
	table, code := s.pipe.tables[id], &s.code.tables[id]
	for i := range code.keys {
		r := table.find(s, &code.keys[i])
		if r.Action < 0 {
			continue
		}
		copies := code.actions[r.Action]
		if len(code.keys) > 1 {
			copies = copies[i : i+1]
		}
		for _, a := range copies {
			s.Do(a, r.Args)
		}
	}
}
