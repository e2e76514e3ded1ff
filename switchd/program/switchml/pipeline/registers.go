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
		tags = []ir.Register{quarters(), stamps("stamp0"), stamps("stamp1")}
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

// quarters counts the quarters of job bytes that a job has come through, in the upper lane. The
// lower has the byte with which the next one begins, 64 to 256. A packet of the next quarter moves
// it on: two actions, since the first quarter's bytes are below that.
func quarters() ir.Register {
	move := func(name string, a, b *ir.Compare, moves ir.Guard, next ir.Update) ir.RegAction {
		next.If = moves
		return ir.RegAction{Name: name, A: a, B: b, Lo: []ir.Update{next}, Hi: []ir.Update{{If: moves, Op: ir.Add, X: ir.Hi, Y: ir.One}}, Out: out(ir.NewHi)}
	}
	return ir.Register{Name: "quarters", Size: spareNumbers * maxJobs, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		move("later", &ir.Compare{Left: ir.Lo, Right: ir.In0, Const: 1, Op: ir.LessSigned}, &ir.Compare{Left: ir.Lo, Right: ir.In0, Const: -quarter, Op: ir.GreaterSigned},
			ir.IfBoth, ir.Update{Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: quarter}),
		move("first", &ir.Compare{Left: ir.Lo, Const: 4 * quarter, Op: ir.Equal}, nil, ir.IfA, ir.Update{Op: ir.Set, X: ir.Imm, Imm: quarter}),
	}}
}

// stamps has for each slot what a set was last used for: the count of quarters then, and the
// tag. Its actions say whether that is a later phase than that of a packet; those of its own
// set are taken in, if not. There are two of each, for packets of the quarter counted and of
// one before, of which the quarter before that counts as well.
func stamps(name string) ir.Register {
	r := ir.Register{Name: name, Size: switchml.MaxSlots, Bits: 32, Lanes: 2}
	for behind, suffix := range []string{"", "_behind"} {
		judge := ir.RegAction{
			Name: "judge" + suffix,
			A:    &ir.Compare{Left: ir.Lo, Right: ir.In0, Const: int64(-2 - behind), Op: ir.GreaterSigned},
			B:    &ir.Compare{Left: ir.Hi, Right: ir.In1, Op: ir.GreaterSigned},
			Out:  []ir.Output{{If: ir.IfBoth, Value: ir.One}},
		}
		take := judge
		take.Name = "take" + suffix
		take.Lo = []ir.Update{{If: ir.Always &^ ir.IfBoth, Op: ir.Sub, X: ir.In0, Y: ir.Imm, Imm: int64(behind)}}
		take.Hi = []ir.Update{{If: ir.Always &^ ir.IfBoth, Op: ir.Set, X: ir.In1}}
		r.Actions = append(r.Actions, take, judge)
	}
	return r
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
