package vm

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// term numbers what a stateful ALU reads; it indexes terms.
type term uint8

const (
	termZero term = iota
	termOne
	termLo
	termHi
	termIn0
	termIn1
	termNewLo
	termNewHi
	termImm
	numTerms
)

// terms are the values of all terms, cut to the width of a lane.
type terms [numTerms]uint32

func termOf(t ir.Term) term {
	switch t {
	case ir.Lo:
		return termLo
	case ir.Hi:
		return termHi
	case ir.NewLo:
		return termNewLo
	case ir.NewHi:
		return termNewHi
	case ir.In0:
		return termIn0
	case ir.In1:
		return termIn1
	case ir.One:
		return termOne
	case ir.Imm:
		return termImm
	}
	return termZero
}

// alu is a compiled program of a stateful ALU. It fits into a line of a processor's cache.
type alu struct {
	shift  uint8 // 32 less the bits of a lane
	writes bool
	mask   uint32
	a, b   compare
	lo, hi [fit.MaxUpdates]update
	out    output
}

type compare struct {
	on          bool
	op          relOp
	left, right term
	constant    uint32
}

// update is one of a lane; the zero value never is.
type update struct {
	guard ir.Guard
	op    aluOp
	x, y  term
	imm   uint32
}

type aluOp uint8

const (
	aluSet aluOp = iota
	aluAdd
	aluSub
	aluAnd
	aluOr
	aluXor
	aluAndNot
	aluMinSigned
	aluMaxSigned
)

// aluOps are the operations by their names; anything else sets.
var aluOps = map[ir.OpKind]aluOp{
	ir.Add: aluAdd, ir.Sub: aluSub, ir.And: aluAnd, ir.Or: aluOr, ir.Xor: aluXor, ir.AndNot: aluAndNot,
	ir.MinSigned: aluMinSigned, ir.MaxSigned: aluMaxSigned,
}

type output struct {
	guard ir.Guard
	value term
	imm   uint32
}

func compileALU(r *fit.Register, run int) (u alu) {
	from := &r.Actions[run]
	u = alu{shift: uint8(32 - r.Bits), mask: uint32(ones(r.Bits))}
	u.a, u.b = compileCompare(from.A, u.mask), compileCompare(from.B, u.mask)
	u.lo, u.hi = compileUpdates(from.Lo, u.mask), compileUpdates(from.Hi, u.mask)
	u.writes = len(from.Lo)+len(from.Hi) > 0
	for _, o := range from.Out {
		u.out = output{o.If, termOf(o.Value), uint32(o.Imm) & u.mask}
	}
	return u
}

func compileCompare(from *ir.Compare, mask uint32) compare {
	if from == nil {
		return compare{}
	}
	return compare{true, relationOp(from.Op), termOf(from.Left), termOf(from.Right), uint32(from.Const) & mask}
}

func compileUpdates(from []ir.Update, mask uint32) (out [fit.MaxUpdates]update) {
	for i, o := range from {
		out[i] = update{o.If, aluOps[o.Op], termOf(o.X), termOf(o.Y), uint32(o.Imm) & mask}
	}
	return out
}

// run works on an entry and two inputs in v, and leaves the new entry there. It
// returns the output.
func (u *alu) run(v *terms) uint32 {
	v[termOne] = 1
	var is uint8
	if u.a.on && u.a.holds(v, u.shift) {
		is = 1
	}
	if u.b.on && u.b.holds(v, u.shift) {
		is |= 2
	}
	v[termNewLo] = u.update(&u.lo, v, v[termLo], is)
	v[termNewHi] = u.update(&u.hi, v, v[termHi], is)
	if u.out.guard>>is&1 == 0 {
		return 0
	}
	v[termImm] = u.out.imm
	return v[u.out.value]
}

// holds compares the difference of two terms and a constant with 0.
func (c *compare) holds(v *terms, shift uint8) bool {
	d := int32((v[c.left] - v[c.right] - c.constant) << shift)
	switch c.op {
	case relEqual:
		return d == 0
	case relNotEqual:
		return d != 0
	case relLess, relLessSigned:
		return d < 0
	default:
		return d > 0
	}
}

// update returns what becomes of a lane.
func (u *alu) update(list *[fit.MaxUpdates]update, v *terms, old uint32, is uint8) uint32 {
	for i := range list {
		if o := &list[i]; o.guard>>is&1 != 0 {
			v[termImm] = o.imm
			return o.apply(v[o.x], v[o.y], u.shift) & u.mask
		}
	}
	return old
}

func (o *update) apply(x, y uint32, shift uint8) uint32 {
	switch o.op {
	case aluAdd:
		return x + y
	case aluSub:
		return x - y
	case aluAnd:
		return x & y
	case aluOr:
		return x | y
	case aluXor:
		return x ^ y
	case aluAndNot:
		return x &^ y
	case aluMinSigned:
		if int32(x<<shift) <= int32(y<<shift) {
			return x
		}
		return y
	case aluMaxSigned:
		if int32(x<<shift) >= int32(y<<shift) {
			return x
		}
		return y
	}
	return x // Set
}

// access is one access to a register.
type access struct {
	alu    alu
	id     int32 // of the register
	lane   int32 // copy
	index  index
	inputs [2]source
	dst    *ref // nil: nowhere
}

// source is where an input of a stateful ALU comes from.
type source struct {
	field *ref  // nil: there is none
	slot  int   // of metadata
	shift uint8 // 32 for the upper word of a field
}

func (s *Pass) input(x *source) uint32 {
	switch {
	case x.field == nil:
		return 0
	case x.field.kind == inSlot:
		return uint32(s.slots[x.slot] >> x.shift)
	}
	return uint32(s.get(x.field) >> x.shift)
}

// compileAccess compiles one access to a register.
func (c *Code) compileAccess(o *fit.Op, n int) *access {
	a := &access{id: int32(o.Register.ID), lane: int32(o.Register.Of(n)), alu: compileALU(&c.prog.Registers[o.Register.ID], o.Run), index: c.index(o, n)}
	for i := range o.In { // fields, as fit has seen to
		f := &c.fields[o.In[i].Field.Of(n)]
		a.inputs[i] = source{field: f, slot: int(f.off)}
	}
	if len(o.In) == 1 && o.In[0].Bits > fit.MaxLaneBits {
		a.inputs[1] = a.inputs[0]
		a.inputs[1].shift = fit.MaxLaneBits
	}
	if o.Dst.ID != fit.NoField {
		a.dst = &c.fields[o.Dst.Of(n)]
	}
	return a
}

// access does one, and puts its output where it belongs.
func (s *Pass) access(a *access) {
	out := s.output(a)
	switch {
	case a.dst == nil:
	case a.dst.kind == inSlot:
		s.slots[a.dst.off] = out & a.dst.mask
	default:
		s.put(a.dst, out)
	}
}

func (s *Pass) output(a *access) uint64 {
	r, u := &s.pipe.registers[a.id], &a.alu
	i := s.at(&a.index)
	if i >= uint64(r.size) {
		return 0
	}
	var v terms
	v[termIn0], v[termIn1] = s.input(&a.inputs[0])&u.mask, s.input(&a.inputs[1])&u.mask
	v[termLo], v[termHi] = r.load(int(i), int(a.lane))
	out := u.run(&v)
	if u.writes {
		r.store(int(i), int(a.lane), v[termNewLo], v[termNewHi])
	}
	return uint64(out)
}

// compileExecute compiles an access whose output is stored with that of others.
func (c *Code) compileExecute(o *fit.Op, n int) value {
	a := c.compileAccess(o, n)
	return func(s *Pass) uint64 { return s.output(a) }
}

// index is what names the entry of an access: bits of a field, or a constant.
type index struct {
	source
	mask  uint64
	entry uint64 // where there is no field
	param int    // number of the parameter it is; -1: none
}

func (c *Code) index(o *fit.Op, n int) index {
	x := index{mask: ^uint64(0), param: -1}
	switch o.Index.Kind {
	case fit.Const:
		x.entry = o.Index.Const
	case fit.FromParam:
		x.param = o.Index.Param
	default:
		f := &c.fields[o.Index.Field.Of(n)]
		x.source, x.mask = source{field: f, slot: int(f.off), shift: uint8(o.IndexFrom)}, ones(o.Index.Bits)
	}
	return x
}

// at returns the entry that an index names.
func (s *Pass) at(x *index) uint64 {
	switch {
	case x.param >= 0:
		return s.args[x.param]
	case x.field == nil:
		return x.entry
	case x.field.kind == inSlot:
		return s.slots[x.slot] >> x.shift & x.mask
	}
	return s.get(x.field) >> x.shift & x.mask
}
