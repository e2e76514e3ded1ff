package idiom

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// wrap is the width of the ALUs.
const wrap = 1<<isa.FieldBits - 1

// constant stands for the register of a term that has none.
const constant = -1

// A half is one of the two 32-bit fields of a register, in which loops count.
type half struct {
	reg   int
	shift uint8 // 0 or 32
}

// term is a half of a register as it is at the beginning of an iteration, to which a
// constant is added, or bits of that sum; or a constant.
type term struct {
	half
	skip      uint8  // low bits of the sum that are left out
	mask, add uint64 // add is the value of a constant
}

func constantTerm(v uint64) term { return term{half: half{reg: constant}, mask: ^uint64(0), add: v} }

// fixed returns the value of a constant.
func (o *term) fixed() (uint64, bool) { return o.add, o.reg == constant }

// whole reports whether the term is all bits of a half.
func (o *term) whole() bool { return o.reg != constant && o.mask == wrap }

// value returns what the term is in a thread.
func (o *term) value(t *vm.Thread) uint64 {
	if o.reg == constant {
		return o.add
	}
	return (t.Register(o.reg)>>o.shift + o.add) & wrap >> o.skip & o.mask
}

// A step is what an iteration does to a half: it adds a number, modulo 2^32, or sets it.
type step struct {
	half
	sets  bool
	value uint64
}

// do does n of them, at least 1.
func (s *step) do(t *vm.Thread, n uint64) {
	r := t.Register(s.reg)
	v := s.value
	if !s.sets {
		v = (r>>s.shift + s.value*n) & wrap
	}
	t.SetRegister(s.reg, r&^(wrap<<s.shift)|v<<s.shift)
}

// state is what an iteration has done to registers so far.
type state struct{ steps []step }

// of returns the step of a half, nil where there is none yet.
func (s *state) of(h half) *step {
	for i := range s.steps {
		if s.steps[i].half == h {
			return &s.steps[i]
		}
	}
	return nil
}

// put replaces the step of a half.
func (s *state) put(n step) {
	if old := s.of(n.half); old != nil {
		*old = n
		return
	}
	s.steps = append(s.steps, n)
}

// term returns an expression as a term of the beginning of the iteration; false if it is
// something else.
func (s *state) term(e isa.Expr) (term, bool) {
	switch e := e.(type) {
	case isa.Const:
		return constantTerm(uint64(e)), true
	case isa.Reg:
		return s.field(e)
	case isa.Binary:
		x, ok := s.term(e.X)
		y, also := s.term(e.Y)
		if e.Op == isa.Add && x.reg == constant {
			x, y = y, x
		}
		n, fixed := y.fixed()
		if !ok || !also || !fixed || x.reg != constant && !x.whole() {
			return term{}, false
		}
		switch e.Op { // a field of 32 bits wraps around as the ALU does
		case isa.Add:
			x.add = (x.add + n) & wrap
			return x, true
		case isa.Sub:
			x.add = (x.add - n) & wrap
			return x, true
		}
	}
	return term{}, false
}

// field returns bits of one half of a register.
func (s *state) field(r isa.Reg) (term, bool) {
	low := isa.RegisterBits - r.Bit - r.Width
	h := half{int(r.Num), low / isa.FieldBits * isa.FieldBits}
	o := term{half: h, skip: low - h.shift, mask: 1<<r.Width - 1}
	if o.skip+r.Width > isa.FieldBits {
		return term{}, false
	}
	n := s.of(h)
	switch {
	case n == nil:
	case n.sets:
		return constantTerm(n.value >> o.skip & o.mask), true
	default:
		o.add = n.value
	}
	return o, true
}

// constant returns the value of an expression that is the same in every iteration.
func (s *state) constant(e isa.Expr) (uint64, bool) {
	o, ok := s.term(e)
	n, fixed := o.fixed()
	return n, ok && fixed
}

// decide returns what a condition is, if it is the same in every iteration. One that is
// absent holds.
func (s *state) decide(e isa.Expr) (holds, known bool) {
	switch e := e.(type) {
	case nil:
		return true, true
	case isa.Unary:
		holds, known = s.decide(e.X)
		return !holds, known && e.Op == isa.LogicalNot
	case isa.Binary:
		if e.Op == isa.LogicalAnd || e.Op == isa.LogicalOr {
			return s.decideBoth(e)
		}
		x, ok := s.constant(e.X)
		y, also := s.constant(e.Y)
		return vm.Compare(e.Op, x, y), ok && also && e.Op >= isa.Equal && e.Op <= isa.GreaterEqual
	}
	n, ok := s.constant(e)
	return n != 0, ok
}

// decideBoth is decide of two conditions; one of them may be enough.
func (s *state) decideBoth(e isa.Binary) (holds, known bool) {
	x, ok := s.decide(e.X)
	y, also := s.decide(e.Y)
	enough := e.Op == isa.LogicalOr // what one of them has to be
	switch {
	case ok && x == enough || also && y == enough:
		return enough, true
	}
	return !enough, ok && also
}
