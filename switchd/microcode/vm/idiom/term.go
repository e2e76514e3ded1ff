package idiom

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// wrap is the width of the ALUs.
const wrap = 1<<isa.FieldBits - 1

// constant stands for the register of a term that has none.
const constant = -1

// term is a field of a register, to which a constant is added, or a constant.
type term struct {
	reg       int
	shift     uint8
	mask, add uint64
}

// termOf returns an expression as a term; false if it is something else.
func termOf(e isa.Expr) (term, bool) {
	switch e := e.(type) {
	case isa.Const:
		return term{reg: constant, mask: ^uint64(0), add: uint64(e)}, true
	case isa.Reg:
		return term{reg: int(e.Num), shift: isa.RegisterBits - e.Bit - e.Width, mask: 1<<e.Width - 1}, true
	case isa.Binary:
		x, ok := termOf(e.X)
		y, also := termOf(e.Y)
		if e.Op == isa.Add && x.reg == constant {
			x, y = y, x
		}
		if !ok || !also || x.mask != wrap || y.reg != constant {
			return term{}, false
		}
		switch e.Op { // a field of 32 bits wraps around as the ALU does
		case isa.Add:
			x.add += y.add
			return x, true
		case isa.Sub:
			x.add -= y.add
			return x, true
		}
	}
	return term{}, false
}

// constantOf returns the value of a constant.
func constantOf(e isa.Expr) (uint64, bool) {
	o, ok := termOf(e)
	return o.add, ok && o.reg == constant
}

// value returns what the term is in a thread.
func (o *term) value(t *vm.Thread) uint64 {
	if o.reg == constant {
		return o.add
	}
	return (t.Register(o.reg)>>o.shift + o.add) & o.mask
}

// sameField reports whether two terms read fields that begin at the same place.
func (o *term) sameField(p *term) bool { return o.reg == p.reg && o.shift == p.shift }

// step is what an iteration adds to a 32-bit field of a register: add, modulo 2^32.
type step struct{ term }

// advance adds what n iterations do.
func (s *step) advance(t *vm.Thread, n uint64) {
	r := t.Register(s.reg)
	field := (r>>s.shift + s.add*n) & wrap
	t.SetRegister(s.reg, r&^(wrap<<s.shift)|field<<s.shift)
}
