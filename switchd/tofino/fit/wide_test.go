package fit

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// withWide is a program with one register of 64 bits, whose action sets all of them to
// both inputs and puts out the upper word.
func withWide(change func(r *ir.Register, a *ir.RegAction, op *ir.Op)) *ir.Program {
	return withRegister(func(r *ir.Register, a *ir.RegAction, op *ir.Op) {
		r.Bits, r.Lanes = 64, 1
		*a = ir.RegAction{Name: a.Name, All: []ir.Update{{If: ir.Always, Op: ir.Set, X: ir.Both}},
			Out: []ir.Output{{If: ir.Always, Value: ir.NewHi}}}
		op.In = []ir.Operand{ir.F("meta.a"), ir.F("meta.a")}
		change(r, a, op)
	})
}

// TestWide: what a stateful ALU does with 64 bits is to copy them; all else it does
// with a word. Each pair is a program that just fits, and one that asks for more.
func TestWide(t *testing.T) {
	type change = func(more bool, r *ir.Register, a *ir.RegAction, op *ir.Op)
	pick := func(more bool, no, yes ir.Term) ir.Term {
		if more {
			return yes
		}
		return no
	}
	all := func(op ir.OpKind, x, y ir.Term) []ir.Update { return []ir.Update{{If: ir.Always, Op: op, X: x, Y: y}} }
	for _, c := range []struct {
		name string
		rule Rule
		do   change
	}{
		{"a carry", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			if a.All, a.Lo = nil, all(ir.Add, ir.Lo, ir.In0); more {
				a.All, a.Lo = all(ir.Add, ir.Whole, ir.Both), nil
			}
		}},
		{"bits of both words", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			if a.All, a.Lo, a.Hi = nil, all(ir.Or, ir.Lo, ir.In0), all(ir.Or, ir.Hi, ir.In1); more {
				a.All, a.Lo, a.Hi = all(ir.Or, ir.Whole, ir.Both), nil, nil
			}
		}},
		{"a comparison", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.A = &ir.Compare{Left: pick(more, ir.Hi, ir.Whole), Op: ir.Less}
		}},
		{"what is compared with", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.B = &ir.Compare{Left: ir.Lo, Right: pick(more, ir.In0, ir.Both), Op: ir.Equal}
		}},
		{"an output", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.Out[0].Value = pick(more, ir.NewLo, ir.Whole)
		}},
		{"a word of 64 bits", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.All, a.Lo = nil, all(ir.Set, pick(more, ir.In1, ir.Both), ir.Nothing)
		}},
		{"64 bits of themselves", RuleWide, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.All[0].X = pick(more, ir.Zero, ir.Whole)
		}},
		{"a register of words", RuleWide, func(more bool, r *ir.Register, _ *ir.RegAction, _ *ir.Op) {
			if more {
				r.Bits, r.Lanes = 32, 2
			}
		}},
		{"all and a word", RuleForm, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			if more {
				a.Lo = all(ir.Set, ir.In0, ir.Nothing)
			}
		}},
		{"updates", RuleALUUpdate, func(more bool, _ *ir.Register, a *ir.RegAction, _ *ir.Op) {
			a.All = slices.Repeat(a.All, 2)
			if more { // one of them is a word too many in each lane: the first is told of
				a.All, a.Lo = nil, slices.Repeat(all(ir.Set, ir.In0, ir.Nothing), 3)
			}
		}},
		{"inputs", RuleALUIn, func(more bool, _ *ir.Register, _ *ir.RegAction, op *ir.Op) {
			if more {
				op.In = op.In[:1]
			}
		}},
		{"lanes", RuleLane, func(more bool, r *ir.Register, a *ir.RegAction, _ *ir.Op) {
			if more { // 128 bits
				r.Lanes, a.All = 2, nil
			}
		}},
		{"entries", RuleRegSize, func(more bool, r *ir.Register, _ *ir.RegAction, _ *ir.Op) {
			if r.Size = 35 * 2048; more {
				r.Size++
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := func(more bool) *ir.Program {
				return withWide(func(r *ir.Register, a *ir.RegAction, op *ir.Op) { c.do(more, r, a, op) })
			}
			expectWide(t, of(false), of(true), c.rule)
		})
	}
}

// expectWide is expect for rules that have their fix in the words of the refusal.
func expectWide(t *testing.T, good, bad *ir.Program, rule Rule) {
	t.Helper()
	if _, err := Place(good); err != nil {
		t.Fatalf("the program that just fits: %v", err)
	}
	list := Refusals(second(Place(bad)))
	if len(list) != 1 || list[0].Rule != rule || list[0].Source == "" && rule != RuleForm {
		t.Fatalf("want one refusal %s with its source, got %v", rule, list)
	}
	if rule == RuleWide && list[0].Fix == "" {
		t.Errorf("no fix: %v", list[0])
	}
	t.Log(list[0])
}

// TestWideTakes: a register of 64 bits takes a field of that width, or two of 32, and
// the memory and the stateful ALU of a pair. The program stays as it was.
func TestWideTakes(t *testing.T) {
	p := withWide(func(_ *ir.Register, _ *ir.RegAction, op *ir.Op) { op.In = []ir.Operand{ir.F("meta.stamp")} })
	p.Metadata = append(p.Metadata, ir.Field{Name: "stamp", Bits: 64})
	wide, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := Place(withRegister(func(*ir.Register, *ir.RegAction, *ir.Op) {}))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Resource{ALUs, SRAM, MapRAM} {
		if got, want := wide.Resources().Stages[0].Uses[r].Used, pair.Resources().Stages[0].Uses[r].Used; got != want || want == 0 {
			t.Errorf("%v: %d, of a pair %d", r, got, want)
		}
	}
	if r := wide.Registers[0]; !r.Wide || r.Bits != 32 || r.Lanes != 2 || len(r.Actions[0].Lo) != 1 || len(r.Actions[0].Hi) != 1 {
		t.Errorf("%+v", r)
	}
	if a := p.Registers[0].Actions[0]; len(a.All) != 1 || len(a.Lo) != 0 {
		t.Errorf("the program has become %+v", a)
	}
	p.Metadata[len(p.Metadata)-1].Bits, p.Actions[0].Do[0].In = 33, []ir.Operand{ir.F("meta.stamp"), ir.F("meta.a")}
	if list := Refusals(second(Place(p))); len(list) != 1 || list[0].Rule != RuleALUIn {
		t.Errorf("33 bits and 32: %v", list)
	}
}
