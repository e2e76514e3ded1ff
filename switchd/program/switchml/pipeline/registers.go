package pipeline

import (
	"slices"

	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// registers holds the state of Algorithm 3, in each pipe. Those with two lanes and
// an entry for a slot keep one set in each lane; those with an entry for set and
// slot keep two values in it.
func (b *builder) registers() []ir.Register {
	values := wordRegisters()
	if b.half {
		values = halfRegisters()
	}
	var tags []ir.Register
	if !b.faithful && !b.rdma {
		tags = []ir.Register{
			{Name: "newest", Size: switchml.MaxSlots, Bits: 32, Lanes: 2, Actions: []ir.RegAction{newer("tag0", ir.Hi, true), newer("tag1", ir.Lo, false), both}},
			{Name: "phase", Size: switchml.MaxSlots, Bits: 32, Lanes: 2, Actions: []ir.RegAction{own("own0", ir.Lo), own("own1", ir.Hi), both}},
			{Name: "row", Size: switchml.MaxSlots, Bits: 8, Lanes: 1, Actions: []ir.RegAction{
				{Name: "ends", Lo: always(ir.Set, ir.Zero, ir.Nothing)},
				{
					Name: "grows", A: &ir.Compare{Left: ir.Lo, Const: switchml.LateLimit - 1, Op: ir.Equal},
					Lo:  []ir.Update{{If: ir.IfA, Op: ir.Set, X: ir.Zero}, {If: ir.IfNotA, Op: ir.Add, X: ir.Lo, Y: ir.One}},
					Out: []ir.Output{{If: ir.IfA, Value: ir.One}},
				},
			}},
		}
	}
	if b.rdma {
		tags = b.queueRegisters()
	}
	return slices.Concat(tags, []ir.Register{
		{Name: "bitmap", Size: switchml.MaxSlots, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
			{Name: "mark0", Lo: always(ir.Or, ir.Lo, ir.In0), Hi: always(ir.AndNot, ir.Hi, ir.In0), Out: out(ir.Lo)},
			{Name: "mark1", Lo: always(ir.AndNot, ir.Lo, ir.In0), Hi: always(ir.Or, ir.Hi, ir.In0), Out: out(ir.Hi)},
			{Name: "peek0", Out: out(ir.Lo)},
			{Name: "peek1", Out: out(ir.Hi)},
		}},
		{Name: "counter", Size: 2 * switchml.MaxSlots, Bits: 8, Lanes: 1, Actions: []ir.RegAction{
			{
				Name: "step", A: &ir.Compare{Left: ir.Lo, Op: ir.Equal},
				Lo:  []ir.Update{{If: ir.IfA, Op: ir.Set, X: ir.In0}, {If: ir.IfNotA, Op: ir.Sub, X: ir.Lo, Y: ir.One}},
				Out: out(ir.NewLo),
			},
			{Name: "peek", Out: out(ir.Lo)},
		}},
		exponent("exponent0"), exponent("exponent1"),
	}, values)
}

// wordRegisters hold values that are integers, 64 in a pass.
func wordRegisters() []ir.Register {
	return []ir.Register{{Name: "values", Copies: lanes, Size: 2 * switchml.MaxSlots, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		{Name: "overwrite", Lo: always(ir.Set, ir.In0, ir.Nothing), Hi: always(ir.Set, ir.In1, ir.Nothing), Out: out(ir.NewHi)},
		{Name: "add", Lo: always(ir.Add, ir.Lo, ir.In0), Hi: always(ir.Add, ir.Hi, ir.In1), Out: out(ir.NewHi)},
		{Name: "lower", Out: out(ir.Lo)},
		{Name: "upper", Out: out(ir.Hi)},
	}}}
}

// both takes the tag of a packet for both sets.
var both = ir.RegAction{Name: "both", Lo: always(ir.Set, ir.In0, ir.Nothing), Hi: always(ir.Set, ir.In0, ir.Nothing)}

// own takes the tag of a packet that is not late, which the second input says, and
// tells one that is late the tag of its set.
func own(name string, lane ir.Term) ir.RegAction {
	a := ir.RegAction{Name: name, A: &ir.Compare{Left: ir.In1, Op: ir.Equal}, Out: []ir.Output{{If: ir.IfNotA, Value: lane}}}
	take := []ir.Update{{If: ir.IfA, Op: ir.Set, X: ir.In0}}
	if lane == ir.Lo {
		a.Lo = take
	} else {
		a.Hi = take
	}
	return a
}

// newer takes the tag of a packet of one set, unless the other set is ahead of it
// by less than the window: then the packet is late, which the output says.
func newer(name string, other ir.Term, lower bool) ir.RegAction {
	a := ir.RegAction{
		Name: name,
		A:    &ir.Compare{Left: other, Right: ir.In0, Op: ir.GreaterSigned},
		B:    &ir.Compare{Left: other, Right: ir.In0, Const: window, Op: ir.LessSigned},
		Out:  []ir.Output{{If: ir.IfBoth, Value: ir.One}},
	}
	take := []ir.Update{{If: ir.Always &^ ir.IfBoth, Op: ir.Set, X: ir.In0}}
	if lower {
		a.Lo = take
	} else {
		a.Hi = take
	}
	return a
}

func exponent(name string) ir.Register {
	return ir.Register{Name: name, Size: 2 * switchml.MaxSlots, Bits: 8, Lanes: 1, Actions: []ir.RegAction{
		{Name: "overwrite", Lo: always(ir.Set, ir.In0, ir.Nothing), Out: out(ir.NewLo)},
		{Name: "raise", Lo: always(ir.MaxSigned, ir.Lo, ir.In0), Out: out(ir.NewLo)},
		{Name: "read", Out: out(ir.Lo)},
	}}
}

func always(op ir.OpKind, x, y ir.Term) []ir.Update {
	return []ir.Update{{If: ir.Always, Op: op, X: x, Y: y}}
}

func out(t ir.Term) []ir.Output { return []ir.Output{{If: ir.Always, Value: t}} }
