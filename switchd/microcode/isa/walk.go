package isa

// walk calls f for every expression and place of the instruction, the parts of
// each before it.
func (in *Instruction) walk(f func(Expr)) {
	for _, w := range in.Wires {
		walk(w, f)
	}
	for _, i := range in.Issues {
		walk(i.When, f)
		for _, a := range i.Args {
			walk(a, f)
		}
		if i.Reply != nil {
			walk(i.Reply, f)
		}
	}
	for _, b := range in.Next {
		walk(b.When, f)
	}
	for _, m := range in.Moves {
		walk(m.When, f)
		walk(m.From, f)
		if m.To != nil {
			walk(m.To, f)
		}
	}
}

// Depth is how deep the operations of the instruction nest, if every wire stood
// where it is used. Wires that it does not have count as none.
func (in *Instruction) Depth() int {
	wires := make([]int, len(in.Wires))
	deepest := 0
	note := func(e Expr) int {
		n := depth(e, wires)
		deepest = max(deepest, n)
		return n
	}
	for i, w := range in.Wires {
		wires[i] = note(w)
	}
	for _, i := range in.Issues {
		note(i.When)
		note(i.Reply)
		for _, a := range i.Args {
			note(a)
		}
	}
	for _, b := range in.Next {
		note(b.When)
	}
	for _, m := range in.Moves {
		note(m.When)
		note(m.From)
		note(m.To)
	}
	return deepest
}

func depth(e Expr, wires []int) int {
	switch e := e.(type) {
	case Wire:
		if e >= 0 && int(e) < len(wires) {
			return wires[e]
		}
		return 0
	case LMEM:
		return 1 + depth(e.Base, wires)
	case Unary:
		return 1 + depth(e.X, wires)
	case Binary:
		return 1 + max(depth(e.X, wires), depth(e.Y, wires))
	case Select:
		return 1 + max(depth(e.If, wires), depth(e.Then, wires), depth(e.Else, wires))
	case Pair:
		return 1 + max(depth(e.Hi, wires), depth(e.Lo, wires))
	}
	return 0
}

func walk(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	switch e := e.(type) {
	case LMEM:
		walk(e.Base, f)
	case Unary:
		walk(e.X, f)
	case Binary:
		walk(e.X, f)
		walk(e.Y, f)
	case Select:
		walk(e.If, f)
		walk(e.Then, f)
		walk(e.Else, f)
	case Pair:
		walk(e.Hi, f)
		walk(e.Lo, f)
	}
	f(e)
}
