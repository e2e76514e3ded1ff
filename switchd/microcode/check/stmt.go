package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// assign compiles place = value.
func (c *checker) assign(s *syntax.AssignStmt) {
	rhs := s.RHS
	if s.Op != "" {
		rhs = &syntax.Binary{Pos: s.Pos, Op: s.Op, X: s.LHS, Y: s.RHS}
	}
	if c.assignLocal(s, rhs) {
		return
	}
	to := c.eval(s.LHS)
	if !to.ok() {
		return
	}
	if to.kind != kindPlace {
		c.errorf(s.LHS.Position(), "%s cannot be assigned; it is no variable", syntax.Text(s.LHS))
		return
	}
	if call, ok := s.RHS.(*syntax.CallExpr); ok && call.Name != pairName {
		c.assignReply(s, call, to)
		return
	}
	p, ok := c.place(to, isa.FieldBits, s.LHS)
	if !ok {
		return
	}
	if to.typ.form == formRecord {
		c.errorf(s.LHS.Position(), "%s is a %s; assign its members", syntax.Text(s.LHS), to.typ.name)
		return
	}
	from, ok := c.assigned(to.typ, rhs)
	if !ok {
		return
	}
	c.in.out.Moves = append(c.in.out.Moves, isa.Move{When: c.in.state.live, To: p, From: from})
	c.in.wrote(p, s.LHS.Position(), syntax.Text(s.LHS))
}

// assigned is the value of an expression for a place of a type.
func (c *checker) assigned(t *dataType, e syntax.Expr) (isa.Expr, bool) {
	v := c.eval(e)
	if !v.ok() || !c.assignable(t, v, e) {
		return nil, false
	}
	if v.kind == kindConst && t.form == formBits {
		if !fits(v.n, t.bits) {
			c.errorf(e.Position(), "%#x does not fit the %d bits of the place", v.n, t.bits)
			return nil, false
		}
		v.n &= 1<<t.bits - 1
	}
	x, ok := c.load(v, e)
	if ok && t.form == formBool && widthOf(x, v) > 1 {
		x = isa.Binary{Op: isa.NotEqual, X: x, Y: isa.Const(0)}
	}
	return x, ok
}

// assignable reports whether a value may go to a place of this type.
func (c *checker) assignable(t *dataType, v value, e syntax.Expr) bool {
	isLabel := v.kind == kindLabel || v.kind == kindComputed && v.typ == typeLabel
	switch {
	case t.form == formLabel && !isLabel:
		c.errorf(e.Position(), "a label variable takes the name of a label, or one of two chosen by ?")
	case t.form != formLabel && (isLabel || v.typ.form == formLabel):
		c.errorf(e.Position(), "%s is a label; only label variables take labels", syntax.Text(e))
	case t.form == formPointer && !v.isConst() && !isAddress(v):
		c.errorf(e.Position(), "%s is no pointer; (type *) makes a number one", syntax.Text(e))
	default:
		return true
	}
	return false
}

// assignReply compiles place = XTXN(...).
func (c *checker) assignReply(s *syntax.AssignStmt, call *syntax.CallExpr, to value) {
	if s.Op != "" {
		c.errorf(s.Pos, "the reply of %s can be assigned with = only: it arrives after the instruction", call.Name)
		return
	}
	if to.typ.form == formLabel {
		c.errorf(s.Pos, "a reply is no label")
		return
	}
	if p, ok := c.place(to, isa.RegisterBits, s.LHS); ok {
		c.issue(call, false, p)
		c.in.wrote(p, s.LHS.Position(), syntax.Text(s.LHS))
	}
}

// jump compiles goto, call, return, exit and the break of a switch.
func (c *checker) jump(s *syntax.JumpStmt) {
	in := c.in
	branch := isa.Branch{When: in.state.path}
	switch s.Op {
	case "break":
		c.errorf(s.Pos, "break ends an arm of a switch and stands nowhere else")
		return
	case "return":
		branch.Jump = isa.Return
	case "exit":
		branch.Jump = isa.Exit
	case "goto", "call":
		branch.Jump = isa.Goto
		if s.Op == "call" {
			branch.Jump = isa.Call
		}
		if !c.target(s, &branch) {
			return
		}
	}
	in.out.Next = append(in.out.Next, branch)
	in.state.dead, in.state.jumped = true, true
}

// target finds where a jump leads. Through a label variable it leads to one of
// the labels that the variable is given: all but the last become branches here.
func (c *checker) target(s *syntax.JumpStmt, b *isa.Branch) bool {
	if n, ok := c.labels[s.Label]; ok {
		b.Target = n
		return true
	}
	sym, ok := c.lookup(s.Label)
	if !ok {
		c.errorf(s.Pos, "no label %s%s", s.Label, didYouMean(c, s.Label, c.labels))
		return false
	}
	if sym.val.kind == kindLabel {
		b.Target = int(sym.val.n)
		return true
	}
	if sym.typ != typeLabel {
		c.errorf(s.Pos, "%s is no label", s.Label)
		return false
	}
	targets := c.jumps[sym]
	if len(targets) == 0 {
		c.errorf(s.Pos, "label variable %s is given no label anywhere", s.Label)
		return false
	}
	held, ok := c.load(sym.val, &syntax.Name{Pos: s.Pos, Text: s.Label})
	if !ok {
		return false
	}
	for _, n := range targets[:len(targets)-1] {
		is := isa.Binary{Op: isa.Equal, X: held, Y: isa.Const(n)}
		c.in.out.Next = append(c.in.out.Next, isa.Branch{When: and(c.in.state.path, is), Jump: b.Jump, Target: n})
	}
	b.Target = targets[len(targets)-1]
	return true
}
