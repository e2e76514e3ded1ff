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
