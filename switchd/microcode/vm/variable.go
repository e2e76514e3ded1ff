package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A Variable is a named place of a program, compiled, through which the owner
// of a thread reads and writes it. The zero value reads 0 and ignores writes.
type Variable struct {
	at place
}

// VariableOf returns where a symbol is in each thread; false if it is not in
// registers or LMEM, or is wider than 64 bits. Of an array it is the first
// element.
func VariableOf(s isa.Symbol) (Variable, bool) {
	return FieldOf(s, 0, int(min(s.Size/max(s.Len, 1), isa.LMEMBits)))
}

// FieldOf returns a field of a symbol, such as a member of a struct: bit counts
// from where the symbol starts, and width is 1 to 64 bits, all of them within
// the symbol. False as for VariableOf.
func FieldOf(s isa.Symbol, bit, width int) (Variable, bool) {
	const registerBits = isa.Registers * isa.RegisterBits
	if bit < 0 || width < 1 || width > isa.RegisterBits || s.Value > isa.LMEMBits || s.Size > isa.LMEMBits ||
		bit > isa.LMEMBits || bit+width > int(s.Size) {
		return Variable{}, false
	}
	at := int(s.Value) + bit
	switch {
	case s.Kind == isa.SymbolRegister && at+width <= registerBits && at%isa.RegisterBits+width <= isa.RegisterBits:
		return Variable{placeOf(isa.Reg{
			Num: uint8(at / isa.RegisterBits), Bit: uint8(at % isa.RegisterBits), Width: uint8(width),
		})}, true
	case s.Kind == isa.SymbolLMEM && at+width <= isa.LMEMBits:
		return Variable{placeOf(isa.LMEM{Bit: int32(at), Width: uint8(width)})}, true
	}
	return Variable{}, false
}

// Get returns the value in a thread.
func (v Variable) Get(t *Thread) uint64 {
	switch {
	case v.at.register:
		return t.file[v.at.num] >> v.at.shift & v.at.mask
	case v.at.width == 0:
		return 0
	}
	return t.loadBits(v.at.bit, v.at.width)
}

// Set writes the low bits of a value into a thread.
func (v Variable) Set(t *Thread, value uint64) {
	if v.at.width != 0 {
		v.at.store(t, v.at.bit, value)
	}
}
