package check

import (
	"slices"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// maxStatements bounds one instruction before its resources are counted.
const maxStatements = 128

// An instruction is one that is being compiled.
type instruction struct {
	out        isa.Instruction
	index      int
	locals     map[string]*symbol
	state      state
	reads      []operand
	writes     []operand
	statements int
	quiet      bool // operands are only asked for their size
}

// A state is what holds at one place of an instruction.
type state struct {
	path     isa.Expr // what the ifs around this place want; nil: nothing
	live     isa.Expr // path, and no jump before was taken
	dead     bool     // a jump before was taken
	jumped   bool     // some jump before may have been taken
	issued   bool     // an XTXN may have been sent
	assigned []operand
}

// An operand is a place that a source reads or writes.
type operand struct {
	place   isa.Place
	pos     syntax.Pos
	text    string
	pointer bool // read to find a field of LMEM
}

// instructions compiles every instruction.
func (c *checker) instructions(f *syntax.File) {
	n := 0
	for _, d := range f.Decls {
		if in, ok := d.(*syntax.Instr); ok {
			c.ends = append(c.ends, in.End)
			c.prog.Instructions = append(c.prog.Instructions, c.instruction(in, n))
			n++
			if n > isa.MaxProgram {
				c.errorf(in.Pos, "the program has more than %d instructions", isa.MaxProgram)
				return
			}
		}
	}
	if n == 0 {
		c.errorf(syntax.Pos{File: f.Name, Line: 1, Col: 1}, "the program has no instruction; write begin ... end")
	}
}

func (c *checker) instruction(s *syntax.Instr, index int) isa.Instruction {
	in := &instruction{index: index, locals: map[string]*symbol{}}
	in.out.Pos = place(s.Pos)
	for _, l := range s.Labels {
		in.out.Labels = append(in.out.Labels, l.Name)
	}
	c.in = in
	before := len(c.errs)
	c.stmts(s.Body)
	c.in = nil
	if !in.state.dead {
		in.out.Next = append(in.out.Next, isa.Branch{Jump: isa.Goto, Target: index + 1})
	} else if last := len(in.out.Next) - 1; last >= 0 {
		in.out.Next[last].When = nil // one of them is taken
	}
	if n := in.out.Depth(); n > isa.MaxDepth {
		c.errorf(s.Pos,
			"the operations of the instruction nest %d deep, more than %d; "+
				"keep a part of the result in a register, and use it in the next instruction", n, isa.MaxDepth)
		return in.out
	}
	in.inlineWires()
	if len(c.errs) == before {
		c.limits(in)
	}
	return in.out
}

// stmts compiles a list. What stands behind a jump that is always taken is an
// error: it can only be a mistake.
func (c *checker) stmts(list []syntax.Stmt) {
	for _, s := range list {
		c.in.statements++
		switch {
		case c.in.statements > maxStatements:
			if c.in.statements == maxStatements+1 {
				c.errorf(s.Position(), "the instruction has more than %d statements", maxStatements)
			}
			return
		case c.in.state.dead:
			c.errorf(s.Position(), "this is never reached: the jump before it is always taken")
			return
		}
		c.stmt(s)
	}
}

func (c *checker) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.DeclStmt:
		c.declareLocal(s.Var)
	case *syntax.AssignStmt:
		c.assign(s)
	case *syntax.CallStmt:
		c.issue(s.Call, s.Async, nil)
	case *syntax.IfStmt:
		c.ifStmt(s)
	case *syntax.SwitchStmt:
		c.switchStmt(s)
	case *syntax.JumpStmt:
		c.jump(s)
	}
}

// reads notes that a place is read, and refuses one that this instruction has
// assigned, but for a name for its old value.
func (c *checker) reads(o operand, old bool) {
	in := c.in
	if in == nil || in.quiet {
		return
	}
	in.reads = append(in.reads, o)
	if old {
		return
	}
	for _, a := range in.state.assigned {
		if overlap(a.place, o.place) {
			c.rulef(o.pos, ruleOldValue,
				"%s is read after %s is assigned at line %d; use a bus for a value within the instruction, or read it in the next one",
				o.text, a.text, a.pos.Line)
			return
		}
	}
}

// wrote notes that a place is assigned.
func (in *instruction) wrote(p isa.Place, pos syntax.Pos, text string) {
	o := operand{place: p, pos: pos, text: text}
	in.writes = append(in.writes, o)
	in.state.assigned = append(slices.Clip(in.state.assigned), o)
}

// overlap reports whether two places certainly share bits. Fields at different
// pointers may, unseen.
func overlap(a, b isa.Place) bool {
	switch a := a.(type) {
	case isa.Reg:
		b, ok := b.(isa.Reg)
		return ok && a.Num == b.Num && a.Bit < b.Bit+b.Width && b.Bit < a.Bit+a.Width
	case isa.LMEM:
		b, ok := b.(isa.LMEM)
		return ok && a.Base == b.Base && a.Bit < b.Bit+int32(b.Width) && b.Bit < a.Bit+int32(a.Width)
	}
	return false
}
