package vm

import (
	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A generator draws programs in which parts of an instruction often touch the
// same fields, addresses often leave LMEM, and loops and calls are common.
type generator struct {
	t     *rapid.T
	count int // instructions
	at    int
	wires int // that may be used
}

func drawProgram(t *rapid.T) *isa.Program {
	g := generator{t: t, count: rapid.IntRange(1, 6).Draw(t, "instructions")}
	p := &isa.Program{Name: "random", AddBytes: isa.MaxAddBytes, Fields: []isa.FieldList{{Fields: []isa.Field{{Place: isa.WholeReg(1)}}}},
		Tables: []isa.Table{{Kind: isa.TableRoutes, Len: 1}, {Kind: isa.TableFilter, Len: 1}}}
	for g.at = range g.count {
		p.Instructions = append(p.Instructions, g.instruction())
	}
	return p
}

func (g *generator) upTo(n int) int      { return rapid.IntRange(0, n).Draw(g.t, "n") }
func (g *generator) chance(of int) bool  { return g.upTo(of-1) == 0 }
func (g *generator) word() isa.Const     { return isa.Const(rapid.Uint32().Draw(g.t, "word")) }
func (g *generator) one(list ...int) int { return rapid.SampledFrom(list).Draw(g.t, "one of") }
func (g *generator) op(lo, hi isa.Op) isa.Op {
	return isa.Op(rapid.IntRange(int(lo), int(hi)).Draw(g.t, "op"))
}

func (g *generator) instruction() isa.Instruction {
	var in isa.Instruction
	g.wires = 0
	for range g.upTo(2) {
		in.Wires = append(in.Wires, g.value(2))
		g.wires++
	}
	for range g.upTo(3) {
		in.Moves = append(in.Moves, isa.Move{When: g.guard(), To: g.place(isa.FieldBits), From: g.value(2)})
	}
	for range g.upTo(2) {
		in.Issues = append(in.Issues, g.issue())
	}
	for range g.upTo(2) {
		b := g.branch()
		b.When = g.value(1)
		in.Next = append(in.Next, b)
	}
	in.Next = append(in.Next, g.branch())
	return in
}

func (g *generator) guard() isa.Expr {
	if g.chance(2) {
		return nil
	}
	return g.value(2)
}

func (g *generator) branch() isa.Branch {
	jumps := []isa.Jump{isa.Goto, isa.Goto, isa.Goto, isa.Goto, isa.Return, isa.Exit}
	if g.at+1 < g.count {
		jumps = append(jumps, isa.Call, isa.Call)
	}
	return isa.Branch{Jump: rapid.SampledFrom(jumps).Draw(g.t, "jump"), Target: g.upTo(g.count - 1)}
}

// value draws an expression of 32 bits.
func (g *generator) value(depth int) isa.Expr {
	if depth == 0 || g.chance(3) {
		return g.leaf()
	}
	switch g.upTo(5) {
	case 0:
		return isa.Unary{Op: g.op(isa.Not, isa.LogicalNot), X: g.value(depth - 1)}
	case 1:
		return isa.Select{If: g.value(depth - 1), Then: g.value(depth - 1), Else: g.value(depth - 1)}
	case 2: // a comparison that has a chance to be equal
		x := g.leaf()
		return isa.Binary{Op: g.op(isa.Equal, isa.GreaterEqual), X: x, Y: isa.Binary{Op: isa.Xor, X: x, Y: isa.Const(g.upTo(1))}}
	}
	return isa.Binary{Op: g.op(isa.Add, isa.LogicalOr), X: g.value(depth - 1), Y: g.value(depth - 1)}
}

func (g *generator) leaf() isa.Expr {
	switch g.upTo(4) {
	case 0:
		return g.word()
	case 1:
		return isa.Const(g.upTo(40))
	case 2:
		if g.wires > 0 {
			return isa.Wire(g.upTo(g.wires - 1))
		}
	}
	return g.place(isa.FieldBits)
}

func (g *generator) place(width int) isa.Place {
	if g.chance(2) {
		return g.register(width)
	}
	w := 1 + g.upTo(width-1)
	if g.chance(3) {
		w = g.one(8, 16, 32, width)
	}
	if !g.chance(5) {
		at := g.upTo(isa.LMEMBits - w)
		if g.chance(2) {
			at = min(at&^7%512, isa.LMEMBits-w)
		}
		return isa.LMEM{Bit: int32(at), Width: uint8(w)}
	}
	return isa.LMEM{Base: g.pointer(), Bit: int32(g.upTo(640) - 64), Width: uint8(w)}
}

func (g *generator) register(width int) isa.Reg {
	if g.chance(3) && width == isa.RegisterBits {
		return isa.WholeReg(uint8(g.upTo(2)))
	}
	if g.chance(3) {
		return isa.LowReg(uint8(g.upTo(2)))
	}
	w := 1 + g.upTo(width-1)
	return isa.Reg{Num: uint8(g.upTo(2)), Bit: uint8(g.upTo(isa.RegisterBits - w)), Width: uint8(w)}
}

// pointer draws an address that is within LMEM more often than not.
func (g *generator) pointer() isa.Expr {
	field := isa.Reg{Num: uint8(g.upTo(2)), Bit: uint8(g.upTo(50)), Width: uint8(g.one(8, 8, 8, 10, 11))}
	switch g.upTo(9) {
	case 0:
		return g.leaf()
	case 1, 2, 3:
		return isa.Binary{Op: isa.Add, X: field, Y: isa.Const(g.upTo(300))}
	case 4:
		return isa.Binary{Op: isa.Add, X: isa.Const(64), Y: isa.Binary{Op: isa.And, X: g.leaf(), Y: isa.Const(511)}}
	}
	return field
}

func (g *generator) issue() isa.Issue {
	x := isa.XTXN(1 + g.upTo(int(isa.NumXTXN)-2))
	if g.chance(5) { // what makes and ends waiting
		x = isa.XTXN(g.one(int(isa.MemRead), int(isa.TailRead), int(isa.XtxnWait)))
	}
	spec, _ := x.Spec()
	out := isa.Issue{When: g.guard(), XTXN: x, Async: spec.Async && g.chance(2)}
	for _, a := range spec.Args {
		out.Args = append(out.Args, g.argument(spec, a))
	}
	if spec.Reply != "" && !g.chance(4) {
		out.Reply = g.place(isa.RegisterBits)
	}
	return out
}

func (g *generator) argument(spec *isa.Spec, a isa.Arg) isa.Expr {
	switch {
	case a.Kind == isa.ArgFields || a.Kind == isa.ArgRoutes:
		return isa.Const(0)
	case a.Kind == isa.ArgFilter:
		return isa.Const(1)
	case a.Kind == isa.ArgLMEM && !g.chance(3):
		return isa.Const(g.upTo(isa.LMEMBytes - spec.Length.Max))
	case a.Kind == isa.ArgLMEM:
		return hidden(g.pointer())
	case a.Kind == isa.ArgLen && !g.chance(5):
		l := spec.Length
		n := isa.Const(l.Min + l.Step*g.upTo((l.Max-l.Min)/l.Step))
		if g.chance(2) { // a constant that only the compiled form sees as one
			return isa.Binary{Op: isa.Add, X: n, Y: isa.Const(g.one(0, 0, 1))}
		}
		return n
	case a.Bits == 64 && g.chance(2):
		return isa.Pair{Hi: g.value(1), Lo: g.value(1)}
	case a.Bits == 64:
		return g.place(isa.RegisterBits)
	}
	return hidden(g.value(2))
}

// hidden keeps Validate from seeing a constant, so that a bad one is met when
// the thread runs.
func hidden(e isa.Expr) isa.Expr {
	if c, ok := e.(isa.Const); ok {
		return isa.Binary{Op: isa.Or, X: c, Y: isa.Const(0)}
	}
	return e
}
