package check

import (
	"slices"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// wire puts a result on a wire, so that it is computed once. What is stored, a
// constant and a wire need none.
func (in *instruction) wire(e isa.Expr) isa.Expr {
	switch e.(type) {
	case isa.Unary, isa.Binary, isa.Select:
	default:
		return e
	}
	if i := slices.Index(in.out.Wires, e); i >= 0 {
		return isa.Wire(i)
	}
	in.out.Wires = append(in.out.Wires, e)
	return isa.Wire(len(in.out.Wires) - 1)
}

// mayFault reports a field that may lie outside of LMEM.
func mayFault(e isa.Expr) bool {
	switch e := e.(type) {
	case isa.LMEM:
		return e.Base != nil
	case isa.Unary:
		return mayFault(e.X)
	case isa.Binary:
		return mayFault(e.X) || mayFault(e.Y)
	case isa.Select:
		return mayFault(e.If) || mayFault(e.Then) || mayFault(e.Else)
	}
	return false
}

// inlineWires puts wires that are used once where they are used, and drops
// those that are not used.
func (in *instruction) inlineWires() {
	uses := in.countWires()
	becomes := make([]isa.Expr, len(uses))
	var kept []isa.Expr
	replace := func(w isa.Wire) isa.Expr { return becomes[w] }
	for i, w := range in.out.Wires {
		if uses[i] == 0 {
			continue
		}
		w = rewrite(w, replace)
		if uses[i] == 1 {
			becomes[i] = w
			continue
		}
		becomes[i] = isa.Wire(len(kept))
		kept = append(kept, w)
	}
	in.out.Wires = kept
	in.each(func(e isa.Expr) isa.Expr { return rewrite(e, replace) })
}

// countWires counts how often the kept parts of an instruction use each wire.
func (in *instruction) countWires() []int {
	uses := make([]int, len(in.out.Wires))
	count := func(w isa.Wire) isa.Expr {
		uses[w]++
		return w
	}
	in.each(func(e isa.Expr) isa.Expr { return rewrite(e, count) })
	for i, w := range slices.Backward(in.out.Wires) {
		if uses[i] > 0 {
			rewrite(w, count)
		}
	}
	return uses
}

// each replaces every expression of the instruction but its wires.
func (in *instruction) each(f func(isa.Expr) isa.Expr) {
	toPlace := func(p isa.Place) isa.Place {
		if m, ok := p.(isa.LMEM); ok {
			m.Base = f(m.Base)
			return m
		}
		return p
	}
	for i := range in.out.Moves {
		m := &in.out.Moves[i]
		m.When, m.To, m.From = f(m.When), toPlace(m.To), f(m.From)
	}
	for i := range in.out.Issues {
		x := &in.out.Issues[i]
		x.When = f(x.When)
		for j := range x.Args {
			x.Args[j] = f(x.Args[j])
		}
		x.Reply = toPlace(x.Reply)
	}
	for i := range in.out.Next {
		in.out.Next[i].When = f(in.out.Next[i].When)
	}
}

// rewrite replaces the wires of an expression.
func rewrite(e isa.Expr, f func(isa.Wire) isa.Expr) isa.Expr {
	switch e := e.(type) {
	case isa.Wire:
		return f(e)
	case isa.LMEM:
		e.Base = rewrite(e.Base, f)
		return e
	case isa.Unary:
		e.X = rewrite(e.X, f)
		return e
	case isa.Binary:
		e.X, e.Y = rewrite(e.X, f), rewrite(e.Y, f)
		return e
	case isa.Select:
		e.If, e.Then, e.Else = rewrite(e.If, f), rewrite(e.Then, f), rewrite(e.Else, f)
		return e
	case isa.Pair:
		e.Hi, e.Lo = rewrite(e.Hi, f), rewrite(e.Lo, f)
		return e
	}
	return e
}
