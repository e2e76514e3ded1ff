package vm_test

import (
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// counter is a program that counts packets by their first byte, up to 3.
func counter() *ir.Program {
	p := program([]ir.Header{header("h", field("index", 8), field("n", 8))}, nil,
		ir.Op{Kind: ir.Execute, Dst: "h.n", Register: "count", Run: "step", Index: ir.F("h.index")})
	p.Registers = []ir.Register{{Name: "count", Size: 256, Bits: 8, Lanes: 1, Actions: []ir.RegAction{{
		Name: "step", A: &ir.Compare{Left: ir.Lo, Const: 3, Op: ir.Less},
		Lo: []ir.Update{{If: ir.IfA, Op: ir.Add, X: ir.Lo, Y: ir.One}}, Out: []ir.Output{{If: ir.Always, Value: ir.NewLo}},
	}}}}
	return p
}

func TestRegistersKeepState(t *testing.T) {
	b := newBench(t, counter())
	for _, want := range []byte{1, 2, 3, 3} {
		equal(t, b.ok(9, 0), 9, want)
	}
	equal(t, b.ok(8, 0), 8, 1)
	r, err := b.code.Register("count")
	if err != nil {
		t.Fatal(err)
	}
	if lo, _ := b.read(r, 9); lo != 3 {
		t.Errorf("entry 9 is %d", lo)
	}
	if err := b.do(func(p *vm.Pipe) error { return p.Write(r, 9, 0x101, 0) }); err != "" {
		t.Fatal(err)
	}
	equal(t, b.ok(9, 0), 9, 2)
	if err := b.do(func(p *vm.Pipe) error { return p.Fill(r, 8, 2, 0, 0) }); err != "" {
		t.Fatal(err)
	}
	equal(t, b.ok(9, 0), 9, 1)
	p := b.modes[0].pipe
	for _, err := range []error{p.Write(r, 256, 0, 0), p.Write(r, -1, 0, 0), p.Fill(r, 255, 2, 0, 0), p.Fill(r, 0, -1, 0, 0)} {
		if err == nil {
			t.Error("an access beyond the register is not refused")
		}
	}
	if _, err := b.code.Register("count[0]"); err == nil {
		t.Error("a register without copies has one by number")
	}
}

// A register has any size: what is behind its last entry reads as 0 and keeps nothing.
func TestRegistersOfAnySize(t *testing.T) {
	p := counter()
	p.Registers[0].Size = 200
	b := newBench(t, p)
	equal(t, b.ok(199, 9), 199, 1)
	equal(t, b.ok(199, 9), 199, 2)
	for range 2 {
		equal(t, b.ok(200, 9), 200, 0)
	}
	equal(t, b.ok(255, 9), 255, 0)
	if n := same(b, "beyond", func(m *mode) uint64 { return m.pipe.Beyond() }); n != 3 {
		t.Errorf("%d accesses beyond the register, want 3", n)
	}
}

// copies is a program that adds two inputs to each of 4 pairs of numbers.
func copies() *ir.Program {
	values := ir.Header{Name: "d", Fields: []ir.Field{{Name: "lo", Bits: 32, Count: 4}, {Name: "hi", Bits: 32, Count: 4}}}
	p := program([]ir.Header{header("h", field("pad", 8), field("slot", 8)), values}, nil,
		ir.Op{Kind: ir.Execute, Dst: "d.lo[*]", Register: "values[*]", Run: "add", Index: ir.F("h.slot"),
			In: []ir.Operand{ir.F("d.lo[*]"), ir.F("d.hi[*]")}})
	add := func(x, y ir.Term) []ir.Update { return []ir.Update{{If: ir.Always, Op: ir.Add, X: x, Y: y}} }
	p.Registers = []ir.Register{{Name: "values", Copies: 4, Size: 256, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		{Name: "add", Lo: add(ir.Lo, ir.In0), Hi: add(ir.Hi, ir.In1), Out: []ir.Output{{If: ir.Always, Value: ir.NewHi}}},
	}}}
	p.Tables[0].Copies = 4
	return p
}

// The control plane sees the copies of a register as registers.
func TestCopiesHaveNames(t *testing.T) {
	b := newBench(t, copies())
	packet := make([]byte, 2+32)
	packet[1], packet[2+4*3+3], packet[2+16+4*3+3] = 5, 7, 9
	b.ok(packet...)
	r, err := b.code.Register("values[3]")
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := b.read(r, 5); lo != 7 || hi != 9 {
		t.Errorf("entry 5 of copy 3 is %d and %d", lo, hi)
	}
	if _, err := b.code.Register("values"); err == nil {
		t.Error("a group is taken for a register")
	}
}
