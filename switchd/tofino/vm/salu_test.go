package vm

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// oracle is a stateful ALU as ir describes it, in 64-bit numbers and words.
type oracle struct {
	bits   int
	values map[ir.Term]int64
	a, b   bool
}

func (o *oracle) cut(v int64) int64 { return v & (1<<o.bits - 1) }

func (o *oracle) sign(v int64) int64 {
	if v = o.cut(v); v >= 1<<(o.bits-1) {
		v -= 1 << o.bits
	}
	return v
}

func (o *oracle) term(t ir.Term, imm int64) int64 {
	if t == ir.Imm {
		return o.cut(imm)
	}
	return o.values[t]
}

func (o *oracle) compare(c *ir.Compare) bool {
	if c == nil {
		return false
	}
	exact := o.term(c.Left, 0) - o.term(c.Right, 0) - c.Const
	d := o.sign(exact)
	return map[ir.Relation]bool{
		ir.Equal: d == 0, ir.NotEqual: d != 0, ir.Less: exact < 0, ir.LessSigned: d < 0, ir.Greater: exact > 0, ir.GreaterSigned: d > 0,
	}[c.Op]
}

func (o *oracle) guard(g ir.Guard) bool {
	switch {
	case o.a && o.b:
		return g&8 != 0
	case o.b:
		return g&4 != 0
	case o.a:
		return g&2 != 0
	}
	return g&1 != 0
}

func (o *oracle) update(list []ir.Update, old int64) int64 {
	for _, u := range list {
		if !o.guard(u.If) {
			continue
		}
		x, y := o.term(u.X, u.Imm), o.term(u.Y, u.Imm)
		top, half := o.cut(-1), int64(1)<<(o.bits-1)
		return o.cut(map[ir.OpKind]int64{
			ir.Set: x, ir.Add: x + y, ir.Sub: x - y, ir.And: x & y, ir.Or: x | y, ir.Xor: x ^ y, ir.AndNot: x &^ y,
			ir.Min: min(x, y), ir.Max: max(x, y), ir.MinSigned: min(o.sign(x), o.sign(y)), ir.MaxSigned: max(o.sign(x), o.sign(y)),
			ir.SatAdd: min(x+y, top), ir.SatSub: max(x-y, 0),
			ir.SatAddSigned: max(-half, min(o.sign(x)+o.sign(y), half-1)), ir.SatSubSigned: max(-half, min(o.sign(x)-o.sign(y), half-1)),
		}[u.Op])
	}
	return old
}

func (o *oracle) run(a *ir.RegAction) int64 {
	o.a, o.b = o.compare(a.A), o.compare(a.B)
	lo, hi := o.update(a.Lo, o.values[ir.Lo]), o.update(a.Hi, o.values[ir.Hi])
	o.values[ir.NewLo], o.values[ir.NewHi] = lo, hi
	for _, out := range a.Out {
		if o.guard(out.If) {
			return o.term(out.Value, out.Imm)
		}
	}
	return 0
}

var (
	allTerms     = []ir.Term{ir.Nothing, ir.Lo, ir.Hi, ir.In0, ir.In1, ir.Zero, ir.One, ir.Imm}
	allRelations = []ir.Relation{ir.Equal, ir.NotEqual, ir.Less, ir.LessSigned, ir.Greater, ir.GreaterSigned}
	allUpdates   = []ir.OpKind{ir.Set, ir.Add, ir.Sub, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.MinSigned, ir.MaxSigned,
		ir.Min, ir.Max, ir.SatAdd, ir.SatSub, ir.SatAddSigned, ir.SatSubSigned}
)

// The stateful ALU does what ir says, for all programs that it has room for.
func TestStatefulALU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SampledFrom([]int{8, 16, 32}).Draw(t, "bits")
		term := rapid.SampledFrom(allTerms)
		guard := rapid.Map(rapid.IntRange(0, 15), func(n int) ir.Guard { return ir.Guard(n) })
		imm := rapid.OneOf(rapid.Int64Range(-8, 7), rapid.SampledFrom([]int64{-1 << (bits - 1), 1<<bits - 1, 1 << (bits - 1)}))
		compare := rapid.Ptr(rapid.Custom(func(t *rapid.T) ir.Compare {
			return ir.Compare{Left: rapid.SampledFrom(allTerms[:7]).Draw(t, "left"),
				Right: rapid.SampledFrom(allTerms[:7]).Draw(t, "right"),
				Const: imm.Draw(t, "const"), Op: rapid.SampledFrom(allRelations).Draw(t, "relation")}
		}), true)
		updates := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ir.Update {
			return ir.Update{If: guard.Draw(t, "if"), Op: rapid.SampledFrom(allUpdates).Draw(t, "op"), X: term.Draw(t, "x"),
				Y: term.Draw(t, "y"), Imm: imm.Draw(t, "imm")}
		}), 0, fit.MaxUpdates)
		outs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ir.Output {
			return ir.Output{If: guard.Draw(t, "if"), Value: rapid.SampledFrom(append(allTerms, ir.NewLo, ir.NewHi)).Draw(t,
				"value"), Imm: imm.Draw(t, "imm")}
		}), 0, fit.MaxOutputs)
		a := ir.RegAction{A: compare.Draw(t, "a"), B: compare.Draw(t, "b"), Lo: updates.Draw(t, "lo"), Hi: updates.Draw(t, "hi"),
			Out: outs.Draw(t, "out")}
		o := oracle{bits: bits}
		// few values, near the ends of the range, so that comparisons go either way
		value := rapid.Map(rapid.IntRange(-3, 3), func(n int) int64 { return o.cut(int64(n)) })
		edge := rapid.Map(rapid.IntRange(-2, 2), func(n int) int64 { return o.cut(int64(n) + 1<<(bits-1)) })
		any := rapid.OneOf(value, edge)
		o.values = map[ir.Term]int64{ir.Lo: any.Draw(t, "lo was"), ir.Hi: any.Draw(t, "hi was"), ir.In0: any.Draw(t, "in0"),
			ir.In1: any.Draw(t, "in1"), ir.One: 1}

		u := compileALU(&fit.Register{Bits: bits, Actions: []ir.RegAction{a}}, 0)
		var v terms
		v[termLo], v[termHi], v[termIn0], v[termIn1] = uint32(o.values[ir.Lo]), uint32(o.values[ir.Hi]), uint32(o.values[ir.In0]),
			uint32(o.values[ir.In1])
		got, want := u.run(&v), o.run(&a)
		if int64(got) != want || int64(v[termNewLo]) != o.values[ir.NewLo] || int64(v[termNewHi]) != o.values[ir.NewHi] {
			t.Fatalf("output %#x, entry %#x %#x; want %#x, %#x %#x", got, v[termNewLo], v[termNewHi], want, o.values[ir.NewLo],
				o.values[ir.NewHi])
		}
	})
}
