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
	shift  uint8   // 32 less the bits of a lane
	writes [2]bool // to the lower lane, to the upper
	mask   uint32
	a, b   compare
	lo, hi [fit.MaxUpdates]update
	out    output
	plain  bool // nothing is compared, and at most one update is of each lane
}

type compare struct {
	op          relOp // relNone: it never holds
	negative    bool  // the constant is below 0
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
	aluMin
	aluMax
	aluMinSigned
	aluMaxSigned
	aluSatAdd // and those behind it: what saturates
	aluSatSub
	aluSatAddSigned
	aluSatSubSigned
)

// aluOps are the operations by their names; anything else sets.
var aluOps = map[ir.OpKind]aluOp{
	ir.Add: aluAdd, ir.Sub: aluSub, ir.And: aluAnd, ir.Or: aluOr, ir.Xor: aluXor, ir.AndNot: aluAndNot,
	ir.Min: aluMin, ir.Max: aluMax, ir.MinSigned: aluMinSigned, ir.MaxSigned: aluMaxSigned,
	ir.SatAdd: aluSatAdd, ir.SatSub: aluSatSub, ir.SatAddSigned: aluSatAddSigned, ir.SatSubSigned: aluSatSubSigned,
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
	u.writes = [2]bool{len(from.Lo) > 0, len(from.Hi) > 0}
	for _, o := range from.Out {
		u.out = output{o.If, termOf(o.Value), uint32(o.Imm) & u.mask}
	}
	u.plain = u.a.op == relNone && u.b.op == relNone && u.lo[0].always(u.writes[0]) && u.hi[0].always(u.writes[1]) && u.out.guard&1 != 0
	return u
}

// always reports whether the first update of a lane, if the lane is written, needs no comparison.
func (o *update) always(written bool) bool { return !written || o.guard&1 != 0 }

// access does one access to an entry, which there is, with the inputs that are among the terms; it returns the output.
func (u *alu) access(r *register, entry, lane int, v *terms) uint64 {
	v[termLo], v[termHi] = r.load(entry, lane)
	if !u.plain {
		out := u.run(v)
		if u.writes != [2]bool{} {
			r.store(entry, lane, v[termNewLo], v[termNewHi])
		}
		return uint64(out)
	}
	v[termOne] = 1
	v[termNewLo], v[termNewHi] = v[termLo], v[termHi]
	if u.writes[0] {
		v[termNewLo] = u.lo[0].do(v, u)
	}
	if u.writes[1] {
		v[termNewHi] = u.hi[0].do(v, u)
	}
	if u.writes[0] || u.writes[1] {
		r.store(entry, lane, v[termNewLo], v[termNewHi])
	}
	v[termImm] = u.out.imm
	return uint64(v[u.out.value])
}

// do returns what an update makes of a lane.
func (o *update) do(v *terms, u *alu) uint32 {
	v[termImm] = o.imm
	return o.apply(v[o.x], v[o.y], u.shift) & u.mask
}

func compileCompare(from *ir.Compare, mask uint32) compare {
	if from == nil {
		return compare{}
	}
	return compare{relationOp(from.Op), from.Const < 0, termOf(from.Left), termOf(from.Right), uint32(from.Const) & mask}
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
	if u.a.op != relNone && u.a.holds(v, u.shift) {
		is = 1
	}
	if u.b.op != relNone && u.b.holds(v, u.shift) {
		is |= 2
	}
	v[termNewLo], v[termNewHi] = v[termLo], v[termHi]
	if u.writes[0] {
		v[termNewLo] = u.update(&u.lo, v, v[termLo], is)
	}
	if u.writes[1] {
		v[termNewHi] = u.update(&u.hi, v, v[termHi], is)
	}
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
	case relLessSigned:
		return d < 0
	case relGreaterSigned:
		return d > 0
	}
	return c.holdsUnsigned(v, shift)
}

// holdsUnsigned compares numbers without signs.
func (c *compare) holdsUnsigned(v *terms, shift uint8) bool {
	exact := int64(v[c.left]) - int64(v[c.right]) - int64(c.constant)
	if c.negative {
		exact += 1 << (32 - shift)
	}
	return c.op == relLess && exact < 0 || c.op == relGreater && exact > 0
}

// update returns what becomes of a lane.
func (u *alu) update(list *[fit.MaxUpdates]update, v *terms, old uint32, is uint8) uint32 {
	for i := range list {
		if o := &list[i]; o.guard>>is&1 != 0 {
			return o.do(v, u)
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
	case aluMin:
		return min(x, y)
	case aluMax:
		return max(x, y)
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
	case aluSet:
		return x
	}
	return o.saturate(x, y, 32-shift)
}

// LaneOp returns an operation of a stateful ALU on words of 32 bits.
func LaneOp(kind ir.OpKind) func(x, y uint32) uint32 {
	o := &update{op: aluOps[kind]}
	return func(x, y uint32) uint32 { return o.apply(x, y, 0) }
}

// saturate does an operation on lanes of some bits that stops at the ends of their numbers.
func (o *update) saturate(x, y uint32, bits uint8) uint32 {
	switch o.op {
	case aluSatAdd:
		return uint32(saturate(ir.SatAdd, uint64(x), uint64(y), bits))
	case aluSatSub:
		return uint32(saturate(ir.SatSub, uint64(x), uint64(y), bits))
	case aluSatAddSigned:
		return uint32(saturateSigned(ir.SatAddSigned, uint64(x), uint64(y), bits))
	}
	return uint32(saturateSigned(ir.SatSubSigned, uint64(x), uint64(y), bits))
}
