package vm

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Variables are read and written at any offset and width, and nothing beside
// them changes.
func TestVariables(t *testing.T) {
	code, err := Compile(tailLoop())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var thread Thread
		code.Start(&thread, 0, 1)
		m := &reference{}
		drawState(rt, &thread, m)
		width := rapid.IntRange(1, 64).Draw(rt, "width")
		s := isa.Symbol{Kind: isa.SymbolLMEM, Size: uint64(width) * 2, Len: 2} // two elements, of which this is the first
		place := isa.Expr(nil)
		if rapid.Bool().Draw(rt, "register") {
			num, bit := rapid.IntRange(0, 31).Draw(rt, "num"), rapid.IntRange(0, 64-width).Draw(rt, "bit")
			s.Kind, s.Value = isa.SymbolRegister, uint64(num*64+bit)
			place = isa.Reg{Num: uint8(num), Bit: uint8(bit), Width: uint8(width)}
		} else {
			s.Value = uint64(rapid.IntRange(0, isa.LMEMBits-width).Draw(rt, "bit"))
			place = isa.LMEM{Bit: int32(s.Value), Width: uint8(width)}
		}
		v, ok := VariableOf(s)
		if !ok {
			rt.Fatalf("%+v has no place", s)
		}
		if got, want := v.Get(&thread), m.place(place).get(); got != want {
			rt.Fatalf("%s reads %#x, want %#x", place, got, want)
		}
		value := rapid.Uint64().Draw(rt, "value")
		v.Set(&thread, value)
		m.place(place).set(value)
		same(rt, &thread, m)
	})
}

// A member of a struct is found within it, and nothing outside it is.
func TestFieldOf(t *testing.T) {
	record := isa.Symbol{Kind: isa.SymbolLMEM, Value: 100 * 8, Size: 58 * 8, Len: 1}
	mask, ok := FieldOf(record, 26*8, 64)
	if !ok {
		t.Fatal("the record has no mask")
	}
	var thread Thread
	mask.Set(&thread, 0x0102030405060708)
	if got := [8]byte(thread.LMEM[126:134]); got != [8]byte{1, 2, 3, 4, 5, 6, 7, 8} {
		t.Errorf("LMEM holds %v", got)
	}
	for _, c := range []struct {
		s          isa.Symbol
		bit, width int
	}{
		{record, 0, 0}, {record, 0, 65}, {record, -1, 8}, {record, 58*8 - 7, 8}, {record, 1 << 62, 8},
		{isa.Symbol{Kind: isa.SymbolLMEM, Value: 1<<64 - 8, Size: 16}, 0, 16},
		{isa.Symbol{Kind: isa.SymbolLMEM, Value: isa.LMEMBits - 8, Size: 16}, 0, 16},
		{isa.Symbol{Kind: isa.SymbolRegister, Value: 56, Size: 16}, 0, 16},
		{isa.Symbol{Kind: isa.SymbolRegister, Value: 64 * 32, Size: 16}, 0, 16},
		{isa.Symbol{Kind: isa.SymbolSRAM, Size: 16}, 0, 16},
		{isa.Symbol{Kind: isa.SymbolConst}, 0, 16},
	} {
		if v, ok := FieldOf(c.s, c.bit, c.width); ok || v.Get(&thread) != 0 {
			t.Errorf("%+v has bits %d+%d", c.s, c.bit, c.width)
		}
	}
	if _, ok := VariableOf(record); ok {
		t.Error("a record of 58 bytes is a variable of 64 bits")
	}
}
