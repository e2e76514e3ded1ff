package fit

import (
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// goldenProgram is a small program with something of everything.
func goldenProgram() *ir.Program {
	p := &ir.Program{
		Name: "small",
		Headers: []ir.Header{
			{Name: "eth", Fields: []ir.Field{{Name: "dst", Bits: 48}, {Name: "src", Bits: 48}, {Name: "type", Bits: 16}}},
			{Name: "ip", Fields: []ir.Field{{Name: "head", Bits: 64}, {Name: "ttl", Bits: 8}, {Name: "proto", Bits: 8},
				{Name: "sum", Bits: 16}, {Name: "src", Bits: 32}, {Name: "dst", Bits: 32}}},
			{Name: "d", Fields: []ir.Field{{Name: "v", Bits: 32, Count: 8}}},
		},
		Metadata: []ir.Field{{Name: "slot", Bits: 10}, {Name: "depth", Bits: 19}},
		Bridged:  []string{"meta.slot"},
		Ingress: ir.Gress{
			Parser: []ir.State{
				{Name: "start", Extract: []string{"eth"}, Select: []string{"eth.type"},
					Cases: []ir.Case{{Values: []uint64{0x800}, Next: "ipv4"}}, Next: ir.Accept},
				{Name: "ipv4", Extract: []string{"ip", "d"}, Next: ir.Accept},
			},
			Control: []ir.Step{
				{If: &ir.Cond{Valid: "d"}, Then: []ir.Step{{Apply: "slot"}, {Apply: "values"}}, Else: []ir.Step{{Apply: "drop"}}},
				{Apply: "hop"},
			},
			Deparse: []string{"eth", "ip", "d"},
		},
		Egress: ir.Gress{
			Control: []ir.Step{{If: &ir.Cond{Left: "eg.enq_depth", Op: ir.Greater, Right: ir.C(1000)}, Then: []ir.Step{{Apply: "shed"}}}},
		},
	}
	val := adder("val", 1)
	val.Copies = 8
	p.Registers = []ir.Register{val}
	slot := ir.Op{Kind: ir.Set, Dst: "meta.slot", A: ir.P("slot")}
	add := ir.Op{Kind: ir.Execute, Dst: "d.v[*]", Register: "val[*]", Run: "add", Index: ir.F("meta.slot"),
		In: []ir.Operand{ir.F("d.v[*]")}}
	p.Actions = []ir.Action{
		{Name: "to-slot", Params: []ir.Param{{Name: "slot", Bits: 10}}, Do: []ir.Op{slot}},
		{Name: "add", Do: []ir.Op{add}},
		{Name: "drop", Do: []ir.Op{{Kind: ir.Set, Dst: "ig.drop", A: ir.C(1)}}},
		{Name: "hop", Do: []ir.Op{{Kind: ir.Sub, Dst: "ip.ttl", A: ir.F("ip.ttl"), B: ir.C(1)}}},
		{Name: "shed", Do: []ir.Op{{Kind: ir.Set, Dst: "eg.drop", A: ir.C(1)}}},
	}
	p.Tables = []ir.Table{
		{Name: "slot", Keys: []ir.Key{{Field: "ip.src", Kind: ir.Exact}}, Actions: []string{"to-slot"}, Default: "drop", Size: 64,
			Counter: true},
		{Name: "values", Copies: 8, Default: "add"},
		{Name: "drop", Default: "drop"},
		{Name: "hop", Default: "hop"},
		{Name: "shed", Default: "shed"},
	}
	return p
}

// TestReport shows what the report says of a program.
func TestReport(t *testing.T) {
	f, err := Place(goldenProgram())
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
	golden.Equal(t, "report.txt", f.String())
}

// TestRefusalTexts shows what the refusals of the common limits say.
func TestRefusalTexts(t *testing.T) {
	text := ""
	for _, p := range []*ir.Program{
		accesses(2), chain(13), adds(97), touched(values(100)), pinned(5), onStage(17), nested(17),
		matching(ir.Exact, 32, 1<<18), matching(ir.Ternary, 44, 1<<14), parsing(8, ParserBytes), adding(12), arithmetic(33),
		deciding(45), extracts(2),
		keyed(ir.Ternary, 9), counters(5), counting(35*2048 + 1), actions(64), turned(actions(64)), dice(9, 1, 8), dice(1, 5, 8), sums(7),
		turned(sums(7)), selecting(32, 256), withRegister(func(r *ir.Register, _ *ir.RegAction, _ *ir.Op) { r.Size = 35*2048 + 1 }),
	} {
		text += second(Place(p)).Error() + "\n"
	}
	golden.Equal(t, "refusals.txt", text)
}

// TestFind finds things by their names.
func TestFind(t *testing.T) {
	f, err := Place(goldenProgram())
	if err != nil {
		t.Fatal(err)
	}
	id, ok := f.FindField("d.v[3]")
	if !ok || f.Fields[id].Offset != 96 || f.Fields[id].Bits != 32 || f.Headers[f.Fields[id].Header].Name != "d" {
		t.Errorf("d.v[3] is %v, %v", f.Fields[id], ok)
	}
	table, _ := f.FindTable("values")
	register, _ := f.FindRegister("val")
	op := f.Tables[table].Actions[0].Do[0]
	if op.Dst.Of(3) != id || op.Register.ID != register || op.Register.Of(3) != 3 {
		t.Errorf("copy 3 of values does %+v", op)
	}
	if _, ok := f.FindField("d.v"); ok {
		t.Error("an array is a field")
	}
}
