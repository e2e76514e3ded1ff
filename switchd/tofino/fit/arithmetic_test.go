package fit

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// doing does one operation on metadata of so many bits, with an action parameter "p" of as many.
func doing(bits int, op ir.Op) *ir.Program {
	p := &ir.Program{Name: "doing", Metadata: []ir.Field{{Name: "x", Bits: bits}, {Name: "y", Bits: bits}, {Name: "z", Bits: 8}}}
	t := always(p, "t", op)
	p.Actions[0].Params, t.Args = []ir.Param{{Name: "p", Bits: bits}}, []uint64{1}
	return apply(p)
}

// of returns an operation of the two fields.
func of(kind ir.OpKind, b ir.Operand) ir.Op {
	return ir.Op{Kind: kind, Dst: "meta.x", A: ir.F("meta.x"), B: b}
}

// TestHighestBits: what has a sign, or stops at the largest number, fills its container.
func TestHighestBits(t *testing.T) {
	y := ir.F("meta.y")
	for _, op := range []ir.Op{
		of(ir.SatAdd, y), of(ir.SatAddSigned, y), of(ir.SatSubSigned, y), of(ir.MinSigned, y), of(ir.MaxSigned, y), of(ir.ShrSigned, ir.C(2)),
	} {
		for _, bits := range []int{8, 16, 32} {
			good := doing(bits, op)
			expect(t, good, doing(bits-1, op), RuleALUSign, `action "t"`)
		}
	}
	for _, op := range []ir.Op{of(ir.SatSub, y), of(ir.Min, y), of(ir.Max, y), of(ir.Shr, ir.C(2)), of(ir.Shl, ir.C(2))} {
		expect(t, doing(7, op), doing(33, op), RuleALUWidth, `action "t"`)
	}
}

// TestDifferences: what is subtracted is a field, or a constant whose negative can be added.
func TestDifferences(t *testing.T) {
	expect(t, doing(16, of(ir.Sub, ir.C(3))), doing(16, of(ir.Sub, ir.P("p"))), RuleALUSource, `action "t"`)
	expect(t, doing(16, of(ir.SatSub, ir.F("meta.y"))), doing(16, of(ir.SatSub, ir.C(3))), RuleALUSource, `action "t"`)
	expect(t, doing(16, of(ir.SatSubSigned, ir.C(0x8001))), doing(16, of(ir.SatSubSigned, ir.C(0x8000))), RuleALUSource, `action "t"`)
	for _, kind := range []ir.OpKind{ir.SatSub, ir.SatSubSigned} {
		from := ir.Op{Kind: kind, Dst: "meta.x", A: ir.P("p"), B: ir.F("meta.y")}
		expect(t, doing(16, from), doing(16, of(kind, ir.P("p"))), RuleALUSource, `action "t"`)
	}
}

// TestSliceNames: a slice is bits that the field has, the higher first, of a move alone.
func TestSliceNames(t *testing.T) {
	move := func(dst, from string) ir.Op { return ir.Op{Kind: ir.Set, Dst: dst, A: ir.F(from)} }
	for _, op := range []ir.Op{move("meta.x[15:0]", "meta.z"), move("meta.x[0:0]", "meta.y[15:15]"), move("meta.z", "meta.y[11:4]")} {
		placed, err := Place(doing(16, op))
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(placed); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"meta.x[16:0]", "meta.x[3:4]", "meta.x[3:-1]", "meta.x[:1]", "meta.x[3:]", "meta.x[03:1]", "meta.x[3:1:0]", "meta.x[3: 1]"} {
		for _, op := range []ir.Op{move(name, "meta.y"), move("meta.y", name)} {
			if list := Refusals(second(Place(doing(16, op)))); len(list) != 1 || list[0].Rule != RuleForm || list[0].Fix == "" {
				t.Errorf("%s: %v", name, list)
			}
		}
	}
	for _, op := range []ir.Op{
		{Kind: ir.Add, Dst: "meta.x[7:0]", A: ir.F("meta.z"), B: ir.C(1)}, {Kind: ir.Add, Dst: "meta.z", A: ir.F("meta.x[7:0]"), B: ir.C(1)},
		{Kind: ir.Hash, Dst: "meta.z", In: []ir.Operand{ir.F("meta.x[7:0]")}}, {Kind: ir.Random, Dst: "meta.x[7:0]"},
	} {
		if list := Refusals(second(Place(doing(16, op)))); len(list) != 1 || list[0].Rule != RuleSlice {
			t.Errorf("%s: %v", op.Kind, list)
		}
	}
}

// TestSlicesAreApart: an action may write slices of a field that do not meet.
func TestSlicesAreApart(t *testing.T) {
	both := func(low int) *ir.Program {
		p := doing(16, ir.Op{Kind: ir.Set, Dst: "meta.x[7:0]", A: ir.C(1)})
		p.Actions[0].Do = append(p.Actions[0].Do, ir.Op{Kind: ir.Set, Dst: fmt.Sprintf("meta.x[11:%d]", low), A: ir.F("meta.y")})
		return p
	}
	expect(t, both(8), both(7), RuleTwice, `action "t"`)
	p := both(8)
	p.Actions[0].Do[1].Dst = "meta.x"
	if list := Refusals(second(Place(p))); len(list) != 1 || list[0].Rule != RuleTwice {
		t.Errorf("a slice and the whole: %v", list)
	}
}

// TestSlicesOfCopies: the copies of a table may mean a slice of their own element.
func TestSlicesOfCopies(t *testing.T) {
	p := vectors(4)
	p.Actions[0].Do = []ir.Op{{Kind: ir.Set, Dst: "d.v[*][7:0]", A: ir.F("d.v[9][31:24]")}}
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if op := f.Tables[0].Actions[0].Do[0]; op.DstFrom != 0 || op.DstBits != 8 || op.Dst.Step != 1 || op.A.From != 24 || op.A.Bits != 8 {
		t.Errorf("%+v", op)
	}
}

// TestArithmeticRefusals shows what the refusals of operations say.
func TestArithmeticRefusals(t *testing.T) {
	text := ""
	for _, p := range []*ir.Program{
		doing(15, of(ir.SatAdd, ir.F("meta.y"))), doing(16, of(ir.Sub, ir.P("p"))), doing(16, of(ir.SatSub, ir.C(3))),
		doing(16, ir.Op{Kind: ir.Set, Dst: "meta.x[16:8]", A: ir.F("meta.z")}),
		doing(16, ir.Op{Kind: ir.Add, Dst: "meta.x[7:0]", A: ir.F("meta.z"), B: ir.C(1)}),
		indexing(40000, 17),
	} {
		text += second(Place(p)).Error() + "\n"
	}
	golden.Equal(t, "arithmetic.txt", text)
}
