package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A test is a condition: a comparison, or two conditions combined.
type test struct {
	op   isa.Op
	x, y operand  // of a comparison
	both *[2]test // of LogicalAnd and LogicalOr; nil: a comparison
	in   span     // of x, for which the comparison holds
}

// A span is a range of numbers, which a comparison with a constant is: it costs no choice of the
// operation.
type span struct {
	known      bool   // there is one
	not        bool   // it is of all others
	from, more uint64 // the first, and how many follow
}

// holds evaluates the condition, and no more of it than is needed.
func (c *test) holds(t *Thread) bool {
	for c.both != nil {
		enough := c.op == isa.LogicalOr // what the first has to be
		if c.both[0].holds(t) == enough {
			return enough
		}
		c = &c.both[1]
	}
	x := c.x.field(t)
	if c.x.eval != nil {
		x = c.x.eval(t)
	}
	if c.in.known {
		return (x-c.in.from <= c.in.more) != c.in.not
	}
	y := c.y.field(t)
	if c.y.eval != nil {
		y = c.y.eval(t)
	}
	return Compare(c.op, x, y)
}

// Compare is a comparison of numbers, isa.Equal to isa.GreaterEqual.
func Compare(op isa.Op, x, y uint64) bool {
	switch op {
	case isa.Equal:
		return x == y
	case isa.NotEqual:
		return x != y
	case isa.Less:
		return x < y
	case isa.LessEqual:
		return x <= y
	case isa.Greater:
		return x > y
	}
	return x >= y // GreaterEqual
}

// compileGuard is compileTest for parts that rarely have a condition: nil stays nil.
func compileGuard(e isa.Expr) *test {
	if e == nil {
		return nil
	}
	c := compileTest(e)
	return &c
}

// compileTest turns a condition into a test. A comparison is kept as one, so that no truth value is made only to be compared again.
func compileTest(e isa.Expr) test {
	switch e := e.(type) {
	case isa.Binary:
		switch {
		case e.Op == isa.LogicalAnd || e.Op == isa.LogicalOr:
			return test{op: e.Op, both: &[2]test{compileTest(e.X), compileTest(e.Y)}}
		case e.Op >= isa.Equal && e.Op <= isa.GreaterEqual:
			return compareWith(e.Op, compileOperand(e.X), compileOperand(e.Y))
		}
	case isa.Unary:
		if e.Op == isa.LogicalNot {
			return compareWith(isa.Equal, compileOperand(e.X), constant(0))
		}
	}
	return compareWith(isa.NotEqual, compileOperand(e), constant(0))
}

// compareWith returns a comparison, of a range where one of the operands is a constant.
func compareWith(op isa.Op, x, y operand) test {
	if _, fixed := x.fixed(); fixed {
		x, y, op = y, x, mirrored(op)
	}
	c := test{op: op, x: x, y: y}
	if n, fixed := y.fixed(); fixed {
		c.in = spanOf(op, n)
	}
	return c
}

// mirrored returns the comparison of y and x that a comparison of x and y is.
func mirrored(op isa.Op) isa.Op {
	switch op {
	case isa.Less:
		return isa.Greater
	case isa.LessEqual:
		return isa.GreaterEqual
	case isa.Greater:
		return isa.Less
	case isa.GreaterEqual:
		return isa.LessEqual
	}
	return op
}

// spanOf returns the numbers that compare so with n.
func spanOf(op isa.Op, n uint64) span {
	out := span{known: true, not: op == isa.NotEqual || op == isa.Greater || op == isa.Less}
	switch op {
	case isa.Equal, isa.NotEqual:
		out.from = n
	case isa.LessEqual, isa.Greater:
		out.more = n
	default: // n and above, or all others
		out.from, out.more = n, -n-1
	}
	return out
}
