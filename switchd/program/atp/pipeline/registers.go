package pipeline

import (
	"math"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// registers are the aggregators (§3.3, Figure 6), each of two halves with identity and set of
// their own: their passes may come in any order.
func (b *builder) registers() []ir.Register {
	return []ir.Register{
		b.own(),
		{Name: "bitmap", Size: b.halves(), Bits: 32, Lanes: 1, Actions: marks()},
		{Name: "ecn", Size: b.halves(), Bits: 8, Lanes: 1, Actions: marks()},
		{Name: "counter", Size: b.halves(), Bits: 8, Lanes: 1, Actions: []ir.RegAction{
			{Name: "count", Lo: update(ir.Always, ir.Add, ir.Lo, ir.One), Out: out(ir.Always, ir.NewLo)},
			{Name: "peek", Out: out(ir.Always, ir.Lo)},
			{Name: "clear", Lo: update(ir.Always, ir.Set, ir.Zero, ir.Nothing)},
		}},
		{Name: "values", Copies: passValues, Size: b.halves(), Bits: 32, Lanes: 1, Actions: adding()},
	}
}

// own has the identity of a half's fragment, 0 where it is free, and below when the fragment's
// last packet came. What puts out 0 has found another's.
func (b *builder) own() ir.Register {
	matches := &ir.Compare{Left: ir.Lo, Right: ir.In0, Op: ir.Equal}
	old := &ir.Compare{Left: ir.Hi, Right: ir.In1, Const: -b.ageTicks(), Op: ir.LessSigned} // time - now + age < 0
	return ir.Register{Name: "own", Size: b.halves(), Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		{
			Name: "claim", A: matches, B: &ir.Compare{Left: ir.Lo, Op: ir.Equal},
			Lo: update(ifEither, ir.Set, ir.In0, ir.Nothing), Hi: update(ifEither, ir.Set, ir.In1, ir.Nothing), Out: out(ifEither, ir.NewLo),
		},
		{Name: "look", A: matches, Out: out(ir.IfA, ir.Lo)},
		{Name: "release", A: matches, Lo: update(ir.IfA, ir.Set, ir.Zero, ir.Nothing), Out: out(ir.IfA, ir.Lo)},
		{Name: "release_old", A: matches, B: old, Lo: update(ifEither, ir.Set, ir.Zero, ir.Nothing), Out: out(ifEither, ir.Lo)},
	}}
}

// ageTicks is the age from which an aggregator counts as abandoned, in ticks: none that is
// younger does.
func (b *builder) ageTicks() int64 { return int64((b.age + tick - 1) / tick) }

// marks are the actions on bits, which return what was there.
func marks() []ir.RegAction {
	return []ir.RegAction{
		{Name: "peek", Out: out(ir.Always, ir.Lo)},
		{Name: "mark", Lo: update(ir.Always, ir.Or, ir.Lo, ir.In0), Out: out(ir.Always, ir.Lo)},
		{Name: "take", Lo: update(ir.Always, ir.Set, ir.Zero, ir.Nothing), Out: out(ir.Always, ir.Lo)},
	}
}

// adding are the actions on values. A sum that is an extreme stands for one that was cut, and
// stays (§3.8); by equality, since an order is of differences, which wrap.
func adding() []ir.RegAction {
	most, least := &ir.Compare{Left: ir.Lo, Const: math.MaxInt32, Op: ir.Equal}, &ir.Compare{Left: ir.Lo, Const: math.MinInt32, Op: ir.Equal}
	return []ir.RegAction{
		{Name: "overwrite", Lo: update(ir.Always, ir.Set, ir.In0, ir.Nothing), Out: out(ir.Always, ir.NewLo)},
		{Name: "add", A: most, B: least, Lo: update(ifNeither, ir.SatAddSigned, ir.Lo, ir.In0), Out: out(ir.Always, ir.NewLo)},
		{Name: "cut", A: most, B: least, Lo: update(ifNeither, ir.Set, ir.In0, ir.Nothing), Out: out(ir.Always, ir.NewLo)},
		{Name: "read", Out: out(ir.Always, ir.Lo)},
	}
}

func update(g ir.Guard, op ir.OpKind, x, y ir.Term) []ir.Update {
	return []ir.Update{{If: g, Op: op, X: x, Y: y}}
}

func out(g ir.Guard, t ir.Term) []ir.Output { return []ir.Output{{If: g, Value: t}} }
