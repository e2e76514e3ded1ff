package fit

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// checkRegister holds a register and its actions against the stateful ALU.
func (s *symbols) checkRegister(r *Register) {
	where := quoted("register", r.Name)
	if !slices.Contains([]int{8, 16, 32}, r.Bits) || r.Lanes < 1 || r.Lanes > MaxLanes {
		s.bad.add(RuleLane, where, "use 8, 16 or 32 bits, alone or as a pair, or 64 alone", "has %d lanes of %d bits", r.Lanes, r.Bits)
		return
	}
	blocks := 0
	if r.Size >= 1 && r.Size <= maxEntries {
		blocks = sramFor(r.Size, r.Bits*r.Lanes)
	}
	if blocks == 0 || blocks > MaxBlocks {
		s.bad.add(RuleRegSize, where, "split it, or make it smaller", "has %d entries of %d bits, %d blocks of SRAM; 1 to %d fit",
			r.Size, r.Bits*r.Lanes, blocks, MaxBlocks)
	}
	if len(r.Actions) > MaxRegActions {
		s.bad.add(RuleALUActions, where, "merge two by their guards", "has %d actions; a stateful ALU holds %d", len(r.Actions),
			MaxRegActions)
	}
	consts := map[int64]bool{}
	for i := range r.Actions {
		a := &r.Actions[i]
		if slices.ContainsFunc(r.Actions[:i], func(b ir.RegAction) bool { return b.Name == a.Name }) || !wellFormed(a.Name) {
			s.bad.add(RuleName, where, "name each once", "has a second or nameless action %q", a.Name)
		}
		c := alu{s.bad, where + ", " + quoted("action", a.Name), r, consts}
		c.check(a)
	}
	if len(consts) > MaxRegConsts {
		s.bad.add(RuleALUConsts, where, "bring some in as an input", "uses %d constants beyond %d to %d; a stateful ALU keeps %d",
			len(consts), SmallestConst, LargestConst, MaxRegConsts)
	}
}

// alu checks one register action.
type alu struct {
	bad    *refusals
	where  string
	r      *Register
	consts map[int64]bool // big ones, of the whole register
}

func (c alu) check(a *ir.RegAction) {
	c.compare(a.A)
	c.compare(a.B)
	c.lane("lo", a.Lo)
	c.lane("hi", a.Hi)
	if c.r.Lanes == 1 && len(a.Hi) > 0 {
		c.bad.add(RuleLane, c.where, "make the register a pair", "updates the upper lane of a register with one")
	}
	if len(a.Out) > MaxOutputs {
		c.bad.add(RuleALUOutput, c.where, "make two actions", "has %d outputs; a stateful ALU has %d", len(a.Out), MaxOutputs)
	}
	for _, o := range a.Out {
		c.guard(o.If)
		c.term(o.Value, o.Imm, true)
		if o.Value == ir.Nothing {
			c.bad.add(RuleForm, c.where, "name a term", "puts out nothing")
		}
	}
}

// compare: one half of the entry, one input, one constant.
func (c alu) compare(p *ir.Compare) {
	if p == nil {
		return
	}
	switch p.Op {
	case ir.Equal, ir.NotEqual, ir.Less, ir.LessSigned, ir.Greater, ir.GreaterSigned:
	default:
		c.bad.add(RuleForm, c.where, "", "there is no relation %q", p.Op)
	}
	c.term(p.Left, 0, false)
	c.term(p.Right, 0, false)
	c.constant(p.Const)
	if p.Left == ir.Imm || p.Right == ir.Imm {
		c.bad.add(RuleALUCompare, c.where, "use the comparison's own constant", "compares %q with %q", p.Left, p.Right)
	}
	c.sources(RuleALUCompare, "a comparison", p.Left, p.Right)
}

func (c alu) lane(name string, list []ir.Update) {
	if len(list) > MaxUpdates {
		c.bad.add(RuleALUUpdate, c.where, "merge two by their guards", "has %d updates of lane %s; a stateful ALU has %d a lane",
			len(list), name, MaxUpdates)
	}
	for _, u := range list {
		c.guard(u.If)
		c.term(u.X, u.Imm, false)
		if u.X == ir.Nothing {
			c.bad.add(RuleForm, c.where, "name a term", "%q of nothing", u.Op)
		}
		switch {
		case u.Op == ir.Set:
			if u.Y != ir.Nothing {
				c.bad.add(RuleForm, c.where, "leave it out", "set takes one term, %q is a second", u.Y)
			}
			continue
		case !operations[u.Op].has(twoSources):
			c.bad.add(RuleForm, c.where, "", "a stateful ALU does not do %q", u.Op)
			continue
		}
		c.term(u.Y, u.Imm, false)
		c.sources(RuleALUUpdate, "an update", u.X, u.Y)
		if u.Y == ir.Nothing || isConst(u.X) && isConst(u.Y) {
			c.bad.add(RuleALUUpdate, c.where, "use set", "%q of %q and %q is a constant or lacks a term", u.Op, u.X, u.Y)
		}
	}
}

// sources refuses two halves of the entry, or two inputs, for one ALU.
func (c alu) sources(rule Rule, what string, x, y ir.Term) {
	if isMemory(x) && isMemory(y) || isInput(x) && isInput(y) {
		c.bad.add(rule, c.where, "do it in two registers, or prepare it in an earlier stage",
			"%s reads %q and %q; it takes one half of the entry, one input and one constant", what, x, y)
	}
}

func (c alu) guard(g ir.Guard) {
	if g > ir.Always {
		c.bad.add(RuleALUCompare, c.where, "compare in two registers", "guard %#b has more than the 4 results of 2 comparators", g)
	}
}

// term refuses what is no term, or none here.
func (c alu) term(t ir.Term, imm int64, output bool) {
	ok := false
	switch t {
	case ir.Nothing, ir.Lo, ir.In0, ir.In1, ir.Zero, ir.One:
		ok = true
	case ir.Hi:
		ok = c.r.Lanes == 2
	case ir.NewLo:
		ok = output
	case ir.NewHi:
		ok = output && c.r.Lanes == 2
	case ir.Imm:
		c.constant(imm)
		ok = true
	case ir.Both, ir.Whole: // widen has refused it
		ok = c.r.Wide
	}
	if !ok {
		c.bad.add(RuleForm, c.where, "", "there is no term %q here", t)
	}
}

// constant notes a constant, which has at most the bits of a lane.
func (c alu) constant(v int64) {
	if v < SmallestConst || v > LargestConst {
		c.consts[v] = true
	}
	if v >= 1<<c.r.Bits || v < -1<<(c.r.Bits-1) {
		c.bad.add(RuleWidth, c.where, "", "constant %d has more than %d bits", v, c.r.Bits)
	}
}

func isMemory(t ir.Term) bool { return t == ir.Lo || t == ir.Hi }
func isInput(t ir.Term) bool  { return t == ir.In0 || t == ir.In1 }
func isConst(t ir.Term) bool  { return t == ir.Zero || t == ir.One || t == ir.Imm }

// inputsOf returns how many inputs a register action reads.
func inputsOf(a *ir.RegAction) int {
	n := 0
	read := func(t ir.Term) {
		switch t {
		case ir.In0:
			n = max(n, 1)
		case ir.In1:
			n = 2
		}
	}
	for _, p := range []*ir.Compare{a.A, a.B} {
		if p != nil {
			read(p.Left)
			read(p.Right)
		}
	}
	for _, u := range slices.Concat(a.Lo, a.Hi) {
		read(u.X)
		read(u.Y)
	}
	for _, o := range a.Out {
		read(o.Value)
	}
	return n
}
