package tracetree

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// drawnAction is an action in the making.
type drawnAction struct {
	*drawn
	copies int
	ir.Action
	taken map[string]bool // fields and headers that it changes
}

// action draws one of up to four operations.
func (d *drawn) action(copies int) ir.Action {
	a := &drawnAction{drawn: d, copies: copies, Action: ir.Action{Name: d.named("a")}, taken: map[string]bool{}}
	if copies > 0 && d.one(2) {
		a.vector()
		return a.Action
	}
	for range d.IntN(5) {
		a.op()
	}
	return a.Action
}

// dst draws a field that the action does not write yet.
func (a *drawnAction) dst(bits int) (f drawnField, ok bool) {
	f = a.field(a.copies, func(f drawnField) bool { return f.writable && f.bits <= bits })
	base, _, _ := strings.Cut(f.name, "[")
	ok = !a.taken[base]
	a.taken[base] = true
	return f, ok
}

// from draws what an operation reads beside a field.
func (a *drawnAction) from(bits int) ir.Operand {
	switch a.IntN(4) {
	case 0:
		return ir.C(a.value(bits))
	case 1:
		return a.param(bits)
	}
	return ir.F(a.field(a.copies, wide(bits)).name)
}

func (a *drawnAction) param(bits int) ir.Operand {
	name := fmt.Sprint("p", len(a.Params))
	a.Params = append(a.Params, ir.Param{Name: name, Bits: bits})
	return ir.P(name)
}

func (a *drawnAction) add(o ir.Op) { a.Do = append(a.Do, o) }

// op draws one operation.
func (a *drawnAction) op() {
	switch a.IntN(12) {
	case 0, 1:
		a.execute()
	case 2, 3:
		if h := pick(a.drawn, a.p.Headers...).Name; !a.taken[h] {
			a.taken[h] = true
			a.add(ir.Op{Kind: pick(a.drawn, ir.Validate, ir.Remove), Dst: h})
		}
	case 4, 5, 6:
		f, ok := a.dst(64)
		if !ok {
			return
		}
		from := a.from(f.bits)
		if from.Field != "" { // of any width
			from = ir.F(a.field(a.copies, most(64)).name)
		}
		if from.Field != "" && f.bits <= 32 && a.one(4) { // the low bits of a wide one
			from = ir.F(a.field(a.copies, wide(64)).name)
		}
		if a.one(3) {
			f.name, f.bits = a.slice(f)
		}
		switch {
		case from.Field != "" && a.one(3):
			from.Field, _ = a.slice(a.field(a.copies, most(64)))
		case from.Field == "" && from.Param == "":
			from.Const &= ones(f.bits)
		}
		a.add(ir.Op{Kind: ir.Set, Dst: f.name, A: from})
	default:
		if f, ok := a.dst(32); ok {
			a.compute(f)
		}
	}
}

// slice draws some bits of a field.
func (a *drawnAction) slice(f drawnField) (name string, bits int) {
	low := a.IntN(f.bits)
	high := low + a.IntN(f.bits-low)
	return fmt.Sprintf("%s[%d:%d]", f.name, high, low), high - low + 1
}

// compute draws an operation that is more than a move.
func (a *drawnAction) compute(f drawnField) {
	o := ir.Op{Dst: f.name}
	switch a.IntN(9) {
	case 0:
		o.Kind = pick(a.drawn, ir.Random, ir.Hash)
	case 1, 2:
		o.Kind = ir.Concat
	case 3:
		o.Kind, o.A, o.B = pick(a.drawn, ir.Shl, ir.Shr, ir.ShrSigned), ir.F(a.field(a.copies, wide(f.bits)).name), ir.C(uint64(a.IntN(f.bits)))
	default:
		o.Kind = pick(a.drawn, ir.Add, ir.Add, ir.Or, ir.Or, ir.Sub, ir.And, ir.Xor, ir.AndNot, ir.MinSigned, ir.MaxSigned, ir.Min, ir.Max,
			ir.SatAdd, ir.SatSub, ir.SatAddSigned, ir.SatSubSigned)
		if o.A, o.B = ir.F(a.field(a.copies, wide(f.bits)).name), a.from(f.bits); a.one(3) {
			o.B = a.param(f.bits)
		}
		if a.one(2) {
			o.A, o.B = o.B, o.A
		}
	}
	if o.Kind == ir.Hash || o.Kind == ir.Concat {
		for range 1 + a.IntN(3) {
			o.In = append(o.In, ir.F(a.field(a.copies, most(32)).name))
		}
	}
	a.add(o)
}

// execute draws an access to a register of its own.
func (a *drawnAction) execute() {
	r := ir.Register{Name: a.named("r"), Size: 5 + a.IntN(4), Bits: pick(a.drawn, 8, 16, 32, 32, 32), Lanes: 1 + a.IntN(2), Copies: a.copies}
	f, ok := a.dst(64)
	if !ok {
		return
	}
	o := ir.Op{Kind: ir.Execute, Dst: f.name, Register: r.Name, Run: "run", Index: ir.C(uint64(a.IntN(r.Size)))}
	if a.copies > 0 {
		o.Register += "[*]"
	}
	switch a.IntN(4) {
	case 0:
		o.Index = a.param(3)
	case 1, 2:
		f := a.field(0, func(f drawnField) bool { return f.bits >= 3 })
		o.Index, o.IndexBits, o.IndexFrom = ir.F(f.name), 3, a.IntN(f.bits-2)
	}
	if a.one(6) {
		r.Bits, r.Lanes = 64, 1
		o.In = []ir.Operand{ir.F(a.field(a.copies, wide(64)).name)}
		r.Actions = []ir.RegAction{{Name: "run", All: []ir.Update{{If: ir.Always, Op: ir.Set, X: ir.Both}},
			Out: []ir.Output{{If: ir.Always, Value: pick(a.drawn, ir.Lo, ir.NewHi)}}}}
	} else {
		for range 2 {
			o.In = append(o.In, ir.F(a.field(a.copies, most(r.Bits)).name))
		}
		r.Actions = []ir.RegAction{a.program(r.Lanes)}
	}
	if a.one(4) {
		o.Dst = ""
	}
	a.p.Registers = append(a.p.Registers, r)
	a.add(o)
}

// vector draws an access to all copies of a register that can be done at once.
func (a *drawnAction) vector() {
	array := func() string { return pick(a.drawn, a.p.Headers[0].Name, a.p.Headers[1].Name) + ".v[*]" }
	run := ir.RegAction{Name: "run", Lo: []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.Lo, Y: ir.In0}},
		Out: []ir.Output{{If: ir.Always, Value: ir.NewLo}}}
	r := ir.Register{Name: a.named("r"), Size: 5 + a.IntN(4), Bits: 32, Lanes: 1, Copies: a.copies, Actions: []ir.RegAction{run}}
	o := ir.Op{Kind: ir.Execute, Dst: array(), Register: r.Name + "[*]", Run: "run", Index: ir.C(uint64(a.IntN(r.Size))),
		In: []ir.Operand{ir.F(array())}}
	if a.one(2) {
		o.Index = a.param(3)
	}
	a.p.Registers = append(a.p.Registers, r)
	a.add(o)
}

// program draws one of a stateful ALU.
func (a *drawnAction) program(lanes int) ir.RegAction {
	run := ir.RegAction{Name: "run"}
	if a.one(2) {
		run.A = &ir.Compare{Left: ir.Lo, Right: pick(a.drawn, ir.In0, ir.In1, ir.Nothing), Const: int64(a.IntN(4)),
			Op: pick(a.drawn, ir.Equal, ir.Less, ir.LessSigned)}
	}
	guard := func() ir.Guard { return pick(a.drawn, ir.Always, ir.Always, ir.IfA, ir.IfNotA) }
	for i, own := range []ir.Term{ir.Lo, ir.Hi}[:lanes] {
		u := ir.Update{If: guard(), Op: pick(a.drawn, ir.Add, ir.Sub, ir.Xor, ir.Max, ir.SatAdd, ir.SatSubSigned), X: own, Y: pick(a.drawn, ir.In0, ir.In1, ir.One)}
		if a.one(3) {
			u.Op, u.X, u.Y = ir.Set, pick(a.drawn, ir.In0, ir.In1, ir.Zero), ir.Nothing
		}
		*[]*[]ir.Update{&run.Lo, &run.Hi}[i] = []ir.Update{u}
	}
	run.Out = []ir.Output{{If: guard(), Value: pick(a.drawn, ir.Lo, ir.NewLo, ir.In0)}}
	return run
}
