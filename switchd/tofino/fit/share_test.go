package fit

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// sharer is a program over metadata x and y, both of so many bits, and others.
func sharer(bits int, control ...ir.Step) *ir.Program {
	p := &ir.Program{Name: "sharer", Metadata: []ir.Field{{Name: "x", Bits: bits}, {Name: "y", Bits: bits}, {Name: "z", Bits: bits},
		{Name: "out", Bits: 32, Count: 4}}}
	p.Ingress.Control = control
	return p
}

// in adds a table of a stage that does something in any case, and returns the step.
func in(p *ir.Program, stage int, do ...ir.Op) ir.Step {
	name := fmt.Sprint("t", len(p.Tables))
	always(p, name, do...).Stage = stage
	return ir.Step{Apply: name}
}

func setC(dst string) ir.Op { return ir.Op{Kind: ir.Set, Dst: dst, A: ir.C(1)} }

// uses reads a field without an instruction that wants its container elsewhere.
func uses(n int, field string) ir.Op { return joins(fmt.Sprintf("meta.out[%d]", n), field) }

func joins(dst, field string) ir.Op {
	return ir.Op{Kind: ir.Concat, Dst: dst, In: []ir.Operand{ir.F(field)}}
}

// TestWhoShares: two fields are in one container where no packet needs both at once, over each
// other, or where their writers agree, side by side; and not otherwise.
func TestWhoShares(t *testing.T) {
	const over, beside, apart = "over", "beside", "apart"
	x, y := "meta.x", "meta.y"
	cond := &ir.Cond{Left: "meta.z", Op: ir.Equal}
	for _, c := range []struct {
		name, want string
		bits       int
		make       func(p *ir.Program) []ir.Step
	}{
		{"one after the other", over, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC(y)), in(p, 4, uses(1, y))}
		}},
		{"in one stage the one is read, the other is written", apart, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 2, setC(y)), in(p, 3, uses(1, y))}
		}},
		{"the second is written on some ways only", apart, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), {If: cond, Then: []ir.Step{in(p, 3, setC(y))}}, in(p, 4, uses(1, y))}
		}},
		{"the second is written by what may match nothing", apart, 16, func(p *ir.Program) []ir.Step {
			steps := []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC(y)), in(p, 4, uses(1, y))}
			p.Tables[2].Actions, p.Tables[2].Default = []string{"t2"}, ""
			p.Tables[2].Keys, p.Tables[2].Size = []ir.Key{{Field: "meta.z", Kind: ir.Exact}}, 1
			return steps
		}},
		{"the second is written by one of two actions", apart, 16, func(p *ir.Program) []ir.Step {
			steps := []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC(y)), in(p, 4, uses(1, y))}
			p.Actions = append(p.Actions, ir.Action{Name: "nothing"})
			p.Tables[2].Actions, p.Tables[2].Size = []string{"nothing"}, 1
			p.Tables[2].Keys = []ir.Key{{Field: "meta.z", Kind: ir.Exact}}
			return steps
		}},
		{"a part of the second is written", apart, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC("meta.y[14:0]")), in(p, 4, uses(1, y))}
		}},
		{"the first goes to the egress", apart, 16, func(p *ir.Program) []ir.Step {
			p.Bridged = []string{x}
			return []ir.Step{in(p, 1, setC(x)), in(p, 3, setC(y)), in(p, 4, uses(1, y))}
		}},
		{"in two branches, though neither is written", over, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{{If: cond, Then: []ir.Step{in(p, 2, uses(0, x)), in(p, 3, setC(x))}, Else: []ir.Step{in(p, 2, uses(1, y)), in(p, 3, setC(y))}}}
		}},
		{"in two branches, and the one is read behind them", apart, 16, func(p *ir.Program) []ir.Step {
			return []ir.Step{{If: cond, Then: []ir.Step{in(p, 2, setC(x))}, Else: []ir.Step{in(p, 2, setC(y))}}, in(p, 3, uses(0, x))}
		}},
		{"an ALU works on less than the container of the second", apart, 12, func(p *ir.Program) []ir.Step {
			more := ir.Op{Kind: ir.Shr, Dst: y, A: ir.F(y), B: ir.C(1)}
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC(y)), in(p, 4, more), in(p, 5, uses(1, y))}
		}},
		{"an ALU works on all of the container of the second", over, 16, func(p *ir.Program) []ir.Step {
			more := ir.Op{Kind: ir.Shr, Dst: y, A: ir.F(y), B: ir.C(1)}
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, uses(0, x)), in(p, 3, setC(y)), in(p, 4, more), in(p, 5, uses(1, y))}
		}},
		{"constants of one action", beside, 4, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x), setC(y)), in(p, 2, uses(0, x), uses(1, y))}
		}},
		{"constants of two tables of a stage", apart, 4, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 1, setC(y)), in(p, 2, uses(0, x), uses(1, y))}
		}},
		{"constants of two tables of a stage in two branches", beside, 4, func(p *ir.Program) []ir.Step {
			return []ir.Step{{If: cond, Then: []ir.Step{in(p, 1, setC(x))}, Else: []ir.Step{in(p, 1, setC(y))}}, in(p, 2, uses(0, x), uses(1, y))}
		}},
		{"constants of two stages", beside, 4, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x)), in(p, 2, setC(y)), in(p, 3, uses(0, x), uses(1, y))}
		}},
		{"a constant and a random number of one action", apart, 4, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x), ir.Op{Kind: ir.Random, Dst: y}), in(p, 2, uses(0, x), uses(1, y))}
		}},
		{"constants that fill no container together", apart, 5, func(p *ir.Program) []ir.Step {
			return []ir.Step{in(p, 1, setC(x), setC(y)), in(p, 2, uses(0, x), uses(1, y))}
		}},
		{"an ALU works on one of them", apart, 4, func(p *ir.Program) []ir.Step {
			more := ir.Op{Kind: ir.Add, Dst: y, A: ir.F(y), B: ir.C(1)}
			return []ir.Step{in(p, 1, setC(x), setC(y)), in(p, 2, more), in(p, 3, uses(0, x), uses(1, y))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sharer(c.bits)
			p.Ingress.Control = c.make(p)
			f, err := Place(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := verify(f); err != nil {
				t.Error(err)
			}
			a, b := placeOf(f, x), placeOf(f, y)
			got := apart
			if a.Container == b.Container {
				if got = beside; a.Low == b.Low {
					got = over
				}
			}
			if got != c.want {
				t.Errorf("%s: %+v and %+v; want %s", got, a, b, c.want)
			}
		})
	}
}

// placeOf returns where a field is in the ingress.
func placeOf(f *Program, name string) Slice {
	id, _ := f.FindField(name)
	return f.Fields[id].Slices[Ingress][0]
}

// TestHeadersShare: headers of which a packet has one are in the same containers, as long as tables
// touch each only where it is valid.
func TestHeadersShare(t *testing.T) {
	unless := false
	of := func(guard *ir.Cond, do ir.Op, next string) bool {
		word := []ir.Field{{Name: "v", Bits: 32}}
		p := &ir.Program{Name: "headers", Headers: []ir.Header{{Name: "h", Fields: word}, {Name: "a", Fields: word}, {Name: "b", Fields: word}},
			Metadata: []ir.Field{{Name: "m", Bits: 32}}}
		p.Ingress = ir.Gress{Deparse: []string{"h", "a", "b"}, Parser: []ir.State{
			{Name: "start", Extract: []string{"h"}, Select: []string{"h.v"}, Cases: []ir.Case{{Values: []uint64{0}, Next: "a"}}, Next: "b"},
			{Name: "a", Extract: []string{"a"}, Next: next}, {Name: "b", Extract: []string{"b"}, Next: ir.Accept},
		}}
		step := in(p, 1, do)
		p.Ingress.Control = []ir.Step{step}
		if guard != nil {
			p.Ingress.Control = []ir.Step{{If: guard, Then: []ir.Step{step}}}
		}
		if unless {
			p.Ingress.Control = []ir.Step{{If: guard, Else: []ir.Step{step}}}
		}
		also := in(p, 1, setC("b.v"))
		p.Ingress.Control = append(p.Ingress.Control, ir.Step{If: &ir.Cond{Valid: "b"}, Then: []ir.Step{also}})
		f, err := Place(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(f); err != nil {
			t.Error(err)
		}
		return placeOf(f, "a.v").Container == placeOf(f, "b.v").Container
	}
	valid := &ir.Cond{Left: "meta.m", Op: ir.Equal, And: &ir.Cond{Valid: "a"}}
	if !of(valid, setC("a.v"), ir.Accept) {
		t.Error("headers of two branches of the parser are not in one container")
	}
	other := &ir.Cond{Valid: "b"}
	for name, together := range map[string]bool{
		"on one way":            of(valid, setC("a.v"), "b"),
		"written without a":     of(nil, setC("a.v"), ir.Accept),
		"read without a":        of(nil, joins("meta.m", "a.v"), ir.Accept),
		"touched beside b":      of(other, setC("a.v"), ir.Accept),
		"added by an action":    of(nil, ir.Op{Kind: ir.Validate, Dst: "a"}, ir.Accept),
		"added where b is":      of(other, ir.Op{Kind: ir.Validate, Dst: "a"}, ir.Accept),
		"read where b is valid": of(other, joins("meta.m", "a.v"), ir.Accept),
	} {
		if together {
			t.Errorf("%s: both headers are in one container", name)
		}
	}
	if unless = true; of(valid, setC("a.v"), ir.Accept) {
		t.Error("written where a is not valid: both headers are in one container")
	}
}
