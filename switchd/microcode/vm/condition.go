package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A test is a condition: a comparison, or two conditions combined.
type test struct {
	op   isa.Op
	x, y operand
	both *[2]test // of LogicalAnd and LogicalOr; nil: a comparison
}

// holds evaluates the condition, and no more of it than is needed.
func (c *test) holds(t *Thread) bool {
	if c.both == nil {
		return c.compare(t)
	}
	first := c.both[0].holds(t)
	if first == (c.op == isa.LogicalOr) {
		return first
	}
	return c.both[1].holds(t)
}

// compare evaluates a comparison.
func (c *test) compare(t *Thread) bool {
	var x, y uint64
	if x = c.x.field(t); c.x.eval != nil {
		x = c.x.eval(t)
	}
	if y = c.y.field(t); c.y.eval != nil {
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
			return test{op: e.Op, x: compileOperand(e.X), y: compileOperand(e.Y)}
		}
	case isa.Unary:
		if e.Op == isa.LogicalNot {
			return test{op: isa.Equal, x: compileOperand(e.X), y: constant(0)}
		}
	}
	return test{op: isa.NotEqual, x: compileOperand(e), y: constant(0)}
}
