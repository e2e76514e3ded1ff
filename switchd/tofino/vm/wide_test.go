package vm_test

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// stamps is a program with a register of 64 bits, worked on by the action that the
// packet names; it puts out a word.
func stamps(one bool) *ir.Program {
	headers := []ir.Header{header("h", field("index", 8), field("do", 8), field("out", 32)), header("in", field("hi", 32), field("lo", 32))}
	in := []ir.Operand{ir.F("in.lo"), ir.F("in.hi")}
	if one {
		headers[1], in = header("in", field("all", 64)), []ir.Operand{ir.F("in.all")}
	}
	p := program(headers, nil)
	set := func(x ir.Term) []ir.Update { return []ir.Update{{If: ir.Always, Op: ir.Set, X: x, Imm: -2}} }
	p.Registers = []ir.Register{{Name: "stamp", Size: 256, Bits: 64, Lanes: 1, Actions: []ir.RegAction{
		{Name: "take", All: set(ir.Both), Out: []ir.Output{{If: ir.Always, Value: ir.Hi}}},
		{Name: "unless", // the word above the one of the first input is taken where both words differ
			A:   &ir.Compare{Left: ir.Lo, Right: ir.In0, Op: ir.NotEqual},
			B:   &ir.Compare{Left: ir.Hi, Right: ir.In1, Op: ir.NotEqual},
			All: []ir.Update{{If: ir.IfBoth, Op: ir.Set, X: ir.In0}}, Out: []ir.Output{{If: ir.Always, Value: ir.NewLo}}},
		{Name: "constant", All: set(ir.Imm), Out: []ir.Output{{If: ir.Always, Value: ir.NewHi}}},
		{Name: "count", Lo: []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.Lo, Y: ir.In0}}, Out: []ir.Output{{If: ir.Always, Value: ir.Lo}}},
	}}}
	p.Actions, p.Tables[0] = nil, ir.Table{Name: "t", Keys: []ir.Key{{Field: "h.do", Kind: ir.Exact}}}
	for i, a := range p.Registers[0].Actions {
		p.Actions = append(p.Actions, ir.Action{Name: a.Name,
			Do: []ir.Op{{Kind: ir.Execute, Dst: "h.out", Register: "stamp", Run: a.Name, Index: ir.F("h.index"), In: in}}})
		p.Tables[0].Actions = append(p.Tables[0].Actions, a.Name)
		p.Tables[0].Entries = append(p.Tables[0].Entries, ir.Entry{Values: []uint64{uint64(i)}, Action: a.Name})
	}
	return p
}

// A register of 64 bits does what a number of 64 bits does where it is copied, and what
// two words do where it is added to: nothing is carried.
func TestRegistersOf64Bits(t *testing.T) {
	benches := [2]*bench{newBench(t, stamps(false)), newBench(t, stamps(true))}
	rapid.Check(t, func(t *rapid.T) {
		b := benches[rapid.IntRange(0, 1).Draw(t, "inputs")]
		r, err := b.code.Register("stamp")
		if err != nil || !r.Wide || r.Bits != 32 {
			t.Fatalf("%+v, %v", r, err)
		}
		edge := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<64 - 1}))
		was := edge.Draw(t, "was")
		if err := b.do(func(p *vm.Pipe) error { return p.Write(r, 7, uint32(was), uint32(was>>32)) }); err != "" {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 5).Draw(t, "packets") {
			do, in := rapid.IntRange(0, 3).Draw(t, "do"), edge.Draw(t, "in")
			packet := binary.BigEndian.AppendUint64([]byte{7, byte(do), 0, 0, 0, 0}, in)
			now, out := was, uint32(0)
			switch do {
			case 0:
				now, out = in, uint32(was>>32)
			case 1:
				if uint32(was) != uint32(in) && was>>32 != in>>32 {
					now = in & (1<<32 - 1)
				}
				out = uint32(now)
			case 2:
				now, out = ^uint64(1), 1<<32-1
			case 3:
				now, out = was&^(1<<32-1)|uint64(uint32(was)+uint32(in)), uint32(was)
			}
			reply := b.ok(packet...)
			lo, hi := b.read(r, 7)
			if got := uint64(hi)<<32 | uint64(lo); got != now || binary.BigEndian.Uint32(reply[2:]) != out {
				t.Fatalf("action %d on %#x with %#x: %#x, and %#x goes out; want %#x and %#x", do, was, in, got,
					binary.BigEndian.Uint32(reply[2:]), now, out)
			}
			was = now
		}
	})
}
