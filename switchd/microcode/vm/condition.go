package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A test is a condition: a comparison, or two conditions combined.
type test struct {
	op   isa.Op // 0: always true
	x, y operand
}

// holds evaluates the condition, and no more of it than is needed.
func (c *test) holds(t *Thread) bool {
	switch c.op {
	case 0:
		return true
	case isa.LogicalAnd:
		return c.x.get(t) != 0 && c.y.get(t) != 0
	case isa.LogicalOr:
		return c.x.get(t) != 0 || c.y.get(t) != 0
	}
	return c.compare(t)
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
	switch c.op {
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

// compileTest turns a condition into a test; nil is always true. A comparison
// is kept as one, so that no truth value is made only to be compared again.
func compileTest(e isa.Expr) test {
	switch e := e.(type) {
	case nil:
		return test{}
	case isa.Binary:
		if e.Op >= isa.Equal && e.Op <= isa.LogicalOr {
			return test{e.Op, compileOperand(e.X), compileOperand(e.Y)}
		}
	case isa.Unary:
		if e.Op == isa.LogicalNot {
			return test{isa.Equal, compileOperand(e.X), constant(0)}
		}
	}
	return test{isa.NotEqual, compileOperand(e), constant(0)}
}
