package check

import (
	"slices"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// ifStmt compiles a condition as a wire that both arms use.
func (c *checker) ifStmt(s *syntax.IfStmt) {
	v := c.eval(s.Cond)
	if !v.ok() {
		return
	}
	if v.isConst() {
		if v.constant() != 0 {
			c.stmts(s.Then)
		} else {
			c.stmts(s.Else)
		}
		return
	}
	cond, ok := c.load(v, s.Cond)
	if !ok {
		return
	}
	c.choose(cond, func() { c.stmts(s.Then) }, func() { c.stmts(s.Else) })
}

// choose compiles two arms, one for each outcome of a condition.
func (c *checker) choose(cond isa.Expr, then, other func()) {
	in := c.in
	before := in.state
	if before.live != nil && mayFault(cond) {
		// A field behind a pointer must not be looked at before the
		// conditions around it hold.
		cond = isa.Binary{Op: isa.LogicalAnd, X: before.live, Y: cond}
	}
	cond = in.wire(cond)
	not := isa.Unary{Op: isa.LogicalNot, X: cond}

	in.state.path, in.state.live = and(before.path, cond), and(before.live, cond)
	in.state.jumped = false
	then()
	yes := in.state

	in.state = before
	in.state.path, in.state.live = and(before.path, not), and(before.live, not)
	in.state.jumped = false
	other()
	in.state = in.join(before, yes, in.state)
}

// join is what holds behind two arms.
func (in *instruction) join(s, a, b state) state {
	out := s
	out.dead = a.dead && b.dead
	out.jumped = s.jumped || a.jumped || b.jumped
	switch {
	case out.dead:
	case a.dead:
		out.live = b.live
	case b.dead:
		out.live = a.live
	case a.jumped || b.jumped:
		// On a wire: both sides hold the condition from before, which would
		// otherwise double with every if.
		out.live = in.wire(isa.Binary{Op: isa.LogicalOr, X: a.live, Y: b.live})
	}
	for _, arm := range []state{a, b} {
		if !arm.dead {
			out.issued = out.issued || arm.issued
			out.assigned = append(slices.Clip(out.assigned), arm.assigned[len(s.assigned):]...)
		}
	}
	return out
}

// and combines conditions, of which nil always holds.
func and(a, b isa.Expr) isa.Expr {
	if a == nil {
		return b
	}
	return isa.Binary{Op: isa.LogicalAnd, X: a, Y: b}
}

// switchStmt compiles arms in their order, the default last.
func (c *checker) switchStmt(s *syntax.SwitchStmt) {
	v := c.eval(s.Tag)
	if !v.ok() {
		return
	}
	tag, ok := c.load(v, s.Tag)
	if !ok {
		return
	}
	if c.in.state.live == nil || !mayFault(tag) {
		tag = c.in.wire(tag) // else every comparison stands behind the conditions around it
	}
	arms := slices.Clone(s.Cases)
	slices.SortStableFunc(arms, func(a, b *syntax.Case) int { return isDefault(a) - isDefault(b) })
	if n := len(arms); n > 1 && isDefault(arms[n-2]) == 1 {
		c.errorf(arms[n-1].Pos, "the switch has two defaults")
		return
	}
	c.arms(tag, arms, map[uint64]bool{})
}

func isDefault(a *syntax.Case) int {
	if len(a.Values) == 0 {
		return 1
	}
	return 0
}

// arms compiles the first arm, and the others where its values do not match.
func (c *checker) arms(tag isa.Expr, list []*syntax.Case, seen map[uint64]bool) {
	if len(list) == 0 {
		return
	}
	if len(list) > isa.MaxBranches {
		c.errorf(list[0].Pos, "the switch has more than %d arms", isa.MaxBranches)
		return
	}
	a := list[0]
	if isDefault(a) == 1 {
		c.arm(a)
		return
	}
	var match isa.Expr
	for _, e := range a.Values {
		n, ok := c.number(e, "the value of a case")
		if !ok {
			return
		}
		if seen[n] {
			c.errorf(e.Position(), "case %d stands twice", n)
			return
		}
		seen[n] = true
		k, ok := c.loadConst(n, isa.FieldBits, e)
		if !ok {
			return
		}
		is := isa.Binary{Op: isa.Equal, X: tag, Y: k}
		if match == nil {
			match = is
		} else {
			match = isa.Binary{Op: isa.LogicalOr, X: match, Y: is}
		}
	}
	c.choose(match, func() { c.arm(a) }, func() { c.arms(tag, list[1:], seen) })
}

// arm compiles one arm, which must not run into the next: a reader who knows C
// would expect that it does.
func (c *checker) arm(a *syntax.Case) {
	body := a.Body
	if n := len(body); n > 0 {
		if j, ok := body[n-1].(*syntax.JumpStmt); ok && j.Op == "break" {
			c.stmts(body[:n-1])
			return
		}
	}
	c.stmts(body)
	if !c.in.state.dead {
		c.errorf(a.Pos, "the arm of the switch ends without goto, call, return, exit or break")
	}
}
