package fit

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// TestLimits holds each limit with a program that just fits and the same program
// with one more.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  Rule
		fits  int // the largest that does
		where string
		make  func(n int) *ir.Program
	}{
		{"dependent stages", RuleStages, 12, `table "t13"`, chain},
		{"adds in a pass", ALUs.Rule(), 96, "all stages", adds},
		{"registers of one stage", ALUs.Rule(), 4, `table "r4"`, pinned},
		{"copies", ALUs.Rule(), 48, "all stages", vectors},
		{"accesses to a register", RuleOnce, 1, `register "pool"`, accesses},
		{"tables of one stage", Tables.Rule(), 16, `table "t16"`, onStage},
		{"SRAM", SRAM.Rule(), 80 * 3 * 1024, `table "lookup"`, func(n int) *ir.Program { return matching(ir.Exact, 32, n) }},
		{"SRAM of a wide key", SRAM.Rule(), 40 * 1024, `table "lookup"`, func(n int) *ir.Program {
			p := matching(ir.Exact, 64, n)
			p.Metadata = append(p.Metadata, ir.Field{Name: "l", Bits: 64})
			p.Tables[0].Keys = append(p.Tables[0].Keys, ir.Key{Field: "meta.l", Kind: ir.Exact})
			return p
		}},
		{"TCAM", TCAM.Rule(), 24 * 512, `table "lookup"`, func(n int) *ir.Program { return matching(ir.Ternary, 44, n) }},
		{"TCAM of a wide key", TCAM.Rule(), 12 * 512, `table "lookup"`, func(n int) *ir.Program { return matching(ir.Ternary, 45, n) }},
		{"map RAM", MapRAM.Rule(), 11 * 2048, `table "lookup"`, besideRegister},
		{"gateways of one stage", Gateways.Rule(), 16, "condition", nested},
		{"exact crossbar", ExactBytes.Rule(), 128, `table "lookup"`, func(n int) *ir.Program { return keyBytes(ir.Exact, n) }},
		{"ternary crossbar", TernaryBytes.Rule(), 66, `table "lookup"`, func(n int) *ir.Program { return keyBytes(ir.Ternary, n) }},
		{"hash units", HashUnits.Rule(), 6, `table "t"`, hashes},
		{"containers of the ingress", RulePHV, 48 + 40 + 11, `header "h"`, func(n int) *ir.Program { return touched(values(n)) }},
		{"tagalong containers", RulePHV, 64 + 48 + 40 + 11, `header "h"`, values},
		{"containers of a group", RuleGroup, 16, `field "meta.x[`, meeting},
		{"parser select", RuleSelect, 32, `state "start"`, func(n int) *ir.Program { return selecting(n, 1) }},
		{"parser of the egress", RuleBudget, 160 - 2, `state "start"`, egressParsing},
		{"parser rows", RuleRows, 255, "ingress parser", func(n int) *ir.Program { return selecting(32, n) }},
		{"one header on a way", RuleReparse, 1, `state "s1"`, extracts},
		{"arithmetic on a cut field", RuleCut, 16, `field "h.v"`, adding},
		{"arithmetic on a wide field", RuleALUWidth, 32, `table "t"`, arithmetic},
		{"gateway input", RuleGateway, 44, "meta.v == 1", deciding},
		{"writes in an action", RuleTwice, 1, `action "t"`, writes},
		{"applications of a table", RuleApplied, 1, `table "t"`, applied},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, c.make(c.fits), c.make(c.fits+1), c.rule, c.where) })
	}
}

// expect demands that one program fits, and that another breaks one rule.
func expect(t *testing.T, good, bad *ir.Program, rule Rule, where string) {
	t.Helper()
	fitted, err := Place(good)
	if err != nil {
		t.Fatalf("the program that just fits: %v", err)
	}
	if err := verify(fitted); err != nil {
		t.Error(err)
	}
	_, err = Place(bad)
	list := Refusals(err)
	if len(list) != 1 || list[0].Rule != rule || !strings.Contains(list[0].Where, where) {
		t.Fatalf("want one refusal %s at %s, got %v", rule, where, err)
	}
	if list[0].Source == "" || list[0].Fix == "" && rule != ALUs.Rule() && rule != RuleBudget && rule != RuleALUIn {
		t.Errorf("no source or fix: %+v", list[0])
	}
	t.Log(err)
}

// TestStatefulALU holds the limits of a stateful ALU in the same way.
func TestStatefulALU(t *testing.T) {
	type change = func(n int, r *ir.Register, a *ir.RegAction, op *ir.Op)
	always := ir.Update{If: ir.Always, Op: ir.Set, X: ir.Zero}
	for _, c := range []struct {
		name string
		rule Rule
		fits int
		do   change
	}{
		{"updates of a lane", RuleALUUpdate, 2, func(n int, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.Lo = nil
			for range n {
				a.Lo = append(a.Lo, always)
			}
		}},
		{"outputs", RuleALUOutput, 1, func(n int, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.Out = nil
			for range n {
				a.Out = append(a.Out, ir.Output{If: ir.Always, Value: ir.Lo})
			}
		}},
		{"actions", RuleALUActions, 4, func(n int, r *ir.Register, a *ir.RegAction, _ *ir.Op) {
			for i := 1; i < n; i++ {
				more := *a
				more.Name = string(rune('a' + i))
				r.Actions = append(r.Actions, more)
			}
		}},
		{"big constants", RuleALUConsts, 4, func(n int, r *ir.Register, a *ir.RegAction, _ *ir.Op) {
			for i := 1; i <= n; i++ {
				more := *a
				more.Name = string(rune('a' + i))
				more.A = &ir.Compare{Left: ir.Lo, Const: int64(7 + i), Op: ir.Less}
				if i == 1 {
					r.Actions[0].A = more.A
				} else if i <= 4 {
					r.Actions = append(r.Actions, more)
				} else {
					r.Actions[0].B = more.A
				}
			}
		}},
		{"inputs", RuleALUIn, 2, func(n int, _ *ir.Register, _ *ir.RegAction, op *ir.Op) {
			op.In = nil
			for range n {
				op.In = append(op.In, ir.F("meta.a"))
			}
		}},
		{"halves of the entry in a comparison", RuleALUCompare, 1, func(n int, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.A = &ir.Compare{Left: ir.Lo, Right: []ir.Term{ir.In0, ir.Hi}[n-1], Op: ir.Greater}
		}},
		{"inputs of an update", RuleALUUpdate, 1, func(n int, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.Lo[0].X = []ir.Term{ir.Lo, ir.In1}[n-1]
		}},
		{"results of the comparators", RuleALUCompare, 15, func(n int, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.Lo[0].If = ir.Guard(n)
		}},
		{"lanes", RuleLane, 2, func(n int, r *ir.Register, _ *ir.RegAction, _ *ir.Op) { r.Lanes = n }},
		{"bits of a lane", RuleLane, 32, func(n int, r *ir.Register, _ *ir.RegAction, _ *ir.Op) { r.Bits = n }},
		{"entries", RuleRegSize, 35 * 2048, func(n int, r *ir.Register, _ *ir.RegAction, _ *ir.Op) { r.Size = n }},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := func(n int) *ir.Program {
				return withRegister(func(r *ir.Register, a *ir.RegAction, op *ir.Op) { c.do(n, r, a, op) })
			}
			expect(t, of(c.fits), of(c.fits+1), c.rule, `register "pool"`)
		})
	}
}

// TestRegisterIndex: an index has as many bits as name what the register has, and no more.
func TestRegisterIndex(t *testing.T) {
	expect(t, indexing(1024, 10), indexing(1024, 11), RuleIndex, `register "pool"`)
	expect(t, indexing(40000, 16), indexing(40000, 17), RuleIndex, `register "pool"`)
	constant := func(i int) *ir.Program {
		return withRegister(func(_ *ir.Register, _ *ir.RegAction, op *ir.Op) { op.Index = ir.C(uint64(i)) })
	}
	if _, err := Place(constant(1023)); err != nil {
		t.Error(err)
	}
	if list := Refusals(second(Place(constant(1024)))); len(list) != 1 || list[0].Rule != RuleIndex {
		t.Errorf("index 1024 of 1024 entries: %v", list)
	}
}

// TestIndexBits: an index may be the low bits of a field, which is not too wide then.
func TestIndexBits(t *testing.T) {
	of := func(bits int) *ir.Program {
		p := withRegister(func(_ *ir.Register, _ *ir.RegAction, op *ir.Op) { op.Index, op.IndexBits = ir.F("meta.slot"), bits })
		p.Metadata = append(p.Metadata, ir.Field{Name: "slot", Bits: 16})
		return p
	}
	expect(t, of(10), of(11), RuleIndex, `register "pool"`)
	for _, bits := range []int{-1, 17} {
		if list := Refusals(second(Place(of(bits)))); len(list) != 1 || list[0].Rule != RuleForm {
			t.Errorf("%d bits of an index of 16: %v", bits, list)
		}
	}
	constant := withRegister(func(_ *ir.Register, _ *ir.RegAction, op *ir.Op) { op.Index, op.IndexBits = ir.C(5), 2 })
	if list := Refusals(second(Place(constant))); len(list) != 1 || list[0].Rule != RuleForm {
		t.Errorf("bits of a constant: %v", list)
	}
	placed, err := Place(of(7))
	if err != nil {
		t.Fatal(err)
	}
	if op := placed.Tables[0].Actions[0].Do[0]; op.Index.Bits != 7 {
		t.Errorf("the index has %d bits", op.Index.Bits)
	}
}

// TestIndexFrom: an index may be any bits of a field, within it.
func TestIndexFrom(t *testing.T) {
	of := func(bits, from int) *ir.Program {
		p := withRegister(func(_ *ir.Register, _ *ir.RegAction, op *ir.Op) {
			op.Index, op.IndexBits, op.IndexFrom = ir.F("meta.slot"), bits, from
		})
		p.Metadata = append(p.Metadata, ir.Field{Name: "slot", Bits: 16})
		return p
	}
	expect(t, of(10, 6), of(11, 5), RuleIndex, `register "pool"`)
	for _, at := range [][2]int{{10, 7}, {10, -1}, {0, 1}} {
		if list := Refusals(second(Place(of(at[0], at[1])))); len(list) != 1 || list[0].Rule != RuleForm {
			t.Errorf("%d bits from bit %d on of an index of 16: %v", at[0], at[1], list)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// TestBranchesShareRegister: two accesses of which a packet makes one are one.
func TestBranchesShareRegister(t *testing.T) {
	p := accesses(2)
	p.Ingress.Control = []ir.Step{{
		If:   &ir.Cond{Left: "meta.a", Op: ir.Equal, Right: ir.C(0)},
		Then: []ir.Step{{Apply: "t0"}}, Else: []ir.Step{{Apply: "t1"}},
	}}
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if f.Tables[0].Stages[0] != f.Tables[1].Stages[0] {
		t.Errorf("the tables of one register are in stages %v and %v", f.Tables[0].Stages, f.Tables[1].Stages)
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
}

// TestOneActionTwice: a register twice in one action is two accesses as well.
func TestOneActionTwice(t *testing.T) {
	p := accesses(1)
	p.Actions[0].Do = append(p.Actions[0].Do, run("pool"))
	list := Refusals(second(Place(p)))
	if len(list) != 1 || list[0].Rule != RuleOnce {
		t.Errorf("%v", list)
	}
}

// crossed has two registers in the two branches of a condition: in one, the second
// register needs what the first put out, in the other one too, or the first the second's.
func crossed(other bool) *ir.Program {
	p := &ir.Program{Name: "crossed", Metadata: meta(ir.Field{Name: "x", Bits: 32}),
		Registers: []ir.Register{adder("r0", 2), adder("r1", 2)}}
	order := []string{"r0", "r1", "r0", "r1"}
	if other {
		order[2], order[3] = "r1", "r0"
	}
	for i, register := range order {
		op := run(register)
		if i%2 == 0 {
			op.Dst = "meta.x"
		} else {
			op.In[0] = ir.F("meta.x")
		}
		always(p, string(rune('a'+i)), op)
	}
	p.Ingress.Control = []ir.Step{{
		If:   &ir.Cond{Left: "meta.b", Op: ir.Equal, Right: ir.C(0)},
		Then: []ir.Step{{Apply: "a"}, {Apply: "b"}}, Else: []ir.Step{{Apply: "c"}, {Apply: "d"}},
	}}
	return p
}

// TestApart: tables of one register are in one stage, be it late for one of them;
// where they depend on each other through another register they cannot be.
func TestApart(t *testing.T) {
	expect(t, crossed(false), crossed(true), RuleApart, "register")

	p := accesses(2)
	always(p, "before", ir.Op{Kind: ir.Set, Dst: "meta.c", A: ir.F("meta.a")})
	p.Metadata = meta(ir.Field{Name: "c", Bits: 32})
	p.Actions[1].Do[0].In[0] = ir.F("meta.c")
	p.Ingress.Control = []ir.Step{{
		If:   &ir.Cond{Left: "meta.b", Op: ir.Equal, Right: ir.C(0)},
		Then: []ir.Step{{Apply: "t0"}}, Else: []ir.Step{{Apply: "before"}, {Apply: "t1"}},
	}}
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
}

// TestOverwrite: what an early table writes waits for a late one that reads it, in
// the same stage at the earliest.
func TestOverwrite(t *testing.T) {
	p := chain(4)
	p.Actions[3].Do[0].B = ir.F("meta.x[0]")
	p.Ingress.Control = append(p.Ingress.Control, ir.Step{Apply: "over"})
	always(p, "over", ir.Op{Kind: ir.Set, Dst: "meta.x[0]", A: ir.C(9)})
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := f.FindTable("over"); f.Tables[id].Stages[0] != 4 {
		t.Errorf("over is in stage %d, and the last that reads before it in 4", f.Tables[id].Stages[0])
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
}

// TestConditions: a table waits for what decides the condition around it.
func TestConditions(t *testing.T) {
	p := chain(3)
	always(p, "inside", ir.Op{Kind: ir.Set, Dst: "meta.x[0]", A: ir.C(9)})
	p.Ingress.Control = append(p.Ingress.Control, ir.Step{
		If:   &ir.Cond{Left: "meta.x[3]", Op: ir.Less, Right: ir.F("meta.x[1]")},
		Then: []ir.Step{{Apply: "inside"}},
	})
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := f.FindTable("inside")
	if step := f.Gress[Ingress].Control[3]; step.Stage != 4 || f.Tables[id].Stages[0] != 4 {
		t.Errorf("the condition is decided in stage %d, its table in %v; want 4", step.Stage, f.Tables[id].Stages)
	}
}

// TestPins: a pin against the dependencies is refused with the chain.
func TestPins(t *testing.T) {
	p := chain(3)
	p.Tables[2].Stage = 3
	if _, err := Place(p); err != nil {
		t.Fatal(err)
	}
	p.Tables[2].Stage = 2
	list := Refusals(second(Place(p)))
	if len(list) != 1 || list[0].Rule != RulePinned || !strings.Contains(list[0].What, `table "t1" -> table "t2"`) {
		t.Errorf("%v", list)
	}
}

// TestPinnedCopies: copies of a table may be for stages of their own, one each.
func TestPinnedCopies(t *testing.T) {
	of := func(stages ...int) *ir.Program {
		p := vectors(3)
		p.Tables[0].Stages = stages
		return p
	}
	f, err := Place(of(7, 0, 3))
	if err != nil {
		t.Fatal(err)
	}
	if at := f.Tables[0].Stages; at[0] != 7 || at[1] != 1 || at[2] != 3 {
		t.Errorf("the copies are in stages %v", at)
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
	both := of(7, 7, 7)
	both.Tables[0].Stage = 7
	for _, p := range []*ir.Program{of(7, 7), of(7, 7, 13), of(-1, 7, 7), both} {
		if list := Refusals(second(Place(p))); len(list) != 1 || list[0].Rule != RuleForm {
			t.Errorf("stages %v: %v", p.Tables[0].Stages, list)
		}
	}
}

// TestSides: a register belongs to one side; stages and containers to both.
func TestSides(t *testing.T) {
	p := accesses(2)
	p.Ingress.Control, p.Egress.Control = p.Ingress.Control[:1], p.Ingress.Control[1:]
	if list := Refusals(second(Place(p))); len(list) != 1 || list[0].Rule != RuleSide {
		t.Errorf("a register of both sides: %v", list)
	}
	p = pinned(4)
	p.Ingress.Control, p.Egress.Control = p.Ingress.Control[:2], p.Ingress.Control[2:]
	if _, err := Place(p); err != nil {
		t.Errorf("two registers each: %v", err)
	}
	p = pinned(5)
	p.Ingress.Control, p.Egress.Control = p.Ingress.Control[:2], p.Ingress.Control[2:]
	if list := Refusals(second(Place(p))); len(list) != 1 || list[0].Rule != ALUs.Rule() {
		t.Errorf("two and three: %v", list)
	}
	expect(t, bothSides(99, 28), bothSides(99, 29), RulePHV, `header`)
	expect(t, bothSides(24, 37), bothSides(99, 37), RulePHV, `header`)
}

// TestLoops: a parser that can go in a circle does not load, whatever it extracts.
func TestLoops(t *testing.T) {
	p := parsing(4, 0)
	p.Ingress.Parser = []ir.State{{Name: "a", Next: "b"}, {Name: "b", Advance: 1, Next: "c"}, {Name: "c", Next: "b"}}
	list := Refusals(second(Place(p)))
	if len(list) != 1 || list[0].Rule != RuleLoop || !strings.Contains(list[0].What, "b -> c -> b") {
		t.Errorf("%v", list)
	}
}
