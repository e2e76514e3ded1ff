package isa

import "slices"

// exprs lists the expressions and places of the instruction, nil where it has none.
func (in *Instruction) exprs() []Expr {
	list := slices.Clone(in.Wires)
	for _, i := range in.Issues {
		list = append(append(list, i.When, i.Reply), i.Args...)
	}
	for _, b := range in.Next {
		list = append(list, b.When)
	}
	for _, m := range in.Moves {
		list = append(list, m.When, m.From, m.To)
	}
	return list
}

// LocalFields lists the fields of local memory that the instruction names, to read or to
// write them.
func (in *Instruction) LocalFields() (out []LMEM) {
	for _, e := range in.exprs() {
		if e != nil {
			walk(e, func(e Expr) {
				if f, ok := e.(LMEM); ok {
					out = append(out, f)
				}
			})
		}
	}
	return out
}

// Depth is how deep the operations of the instruction nest, if every wire stood
// where it is used. Wires that it does not have count as none.
func (in *Instruction) Depth() int {
	wires := make([]int, len(in.Wires))
	for i, w := range in.Wires {
		wires[i] = depth(w, wires)
	}
	deepest := 0
	for _, e := range in.exprs() {
		deepest = max(deepest, depth(e, wires))
	}
	return deepest
}

func depth(e Expr, wires []int) int {
	if w, ok := e.(Wire); ok && w >= 0 && int(w) < len(wires) {
		return wires[w]
	}
	n := 0
	for _, x := range operands(e) {
		n = max(n, 1+depth(x, wires))
	}
	return n
}

// operands lists the parts of an expression; those of LMEM may be nil.
func operands(e Expr) []Expr {
	switch e := e.(type) {
	case LMEM:
		return []Expr{e.Base}
	case Unary:
		return []Expr{e.X}
	case Binary:
		return []Expr{e.X, e.Y}
	case Select:
		return []Expr{e.If, e.Then, e.Else}
	case Pair:
		return []Expr{e.Hi, e.Lo}
	}
	return nil
}

// walk calls f for an expression and its parts.
func walk(e Expr, f func(Expr)) {
	for _, x := range operands(e) {
		walk(x, f)
	}
	f(e)
}
