package check

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var ruleMultiply = rule{"the ALUs shift, but neither multiply nor divide",
	"assumed: trio §2.2 names arithmetic and logical operations only"}

var binaryOps = map[string]isa.Op{
	"+": isa.Add, "-": isa.Sub, "&": isa.And, "|": isa.Or, "^": isa.Xor, "<<": isa.ShiftLeft, ">>": isa.ShiftRight,
	"==": isa.Equal, "!=": isa.NotEqual, "<": isa.Less, "<=": isa.LessEqual, ">": isa.Greater, ">=": isa.GreaterEqual,
	"&&": isa.LogicalAnd, "||": isa.LogicalOr,
}

func (c *checker) binary(e *syntax.Binary) value {
	x, y := c.eval(e.X), c.eval(e.Y)
	if !x.ok() || !y.ok() {
		return value{}
	}
	if x.kind == kindConst && y.kind == kindConst {
		return c.fold(e, x.n, y.n)
	}
	if e.Op == "+" || e.Op == "-" {
		if isAddress(x) || e.Op == "+" && isAddress(y) {
			return c.pointerSum(e, x, y)
		}
	}
	switch e.Op {
	case "*":
		return c.multiply(e, x, y)
	case "/", "%":
		return c.rulef(e.Pos, ruleMultiply, "%s of a variable; shift with >> or take bits with [hi:lo]", e.Op)
	}
	l, ok1 := c.load(x, e.X)
	r, ok2 := c.load(y, e.Y)
	if !ok1 || !ok2 {
		return value{}
	}
	op := binaryOps[e.Op]
	if _, constant := l.(isa.Const); constant && op == isa.Equal {
		l, r = r, l // a constant stands on the right, for the comparisons of a switch
	}
	return computed(isa.Binary{Op: op, X: l, Y: r}, resultWidth(op, widthOf(l, x), widthOf(r, y)))
}

// resultWidth is how many low bits of a result can be set.
func resultWidth(op isa.Op, x, y int) int {
	switch op {
	case isa.And:
		return min(x, y)
	case isa.Or, isa.Xor:
		return max(x, y)
	case isa.ShiftRight:
		return x
	case isa.Add:
		return min(max(x, y)+1, isa.FieldBits)
	case isa.Sub, isa.ShiftLeft:
		return isa.FieldBits
	}
	return 1
}

// isAddress reports a pointer, or an array, which is the address of its first
// element.
func isAddress(v value) bool {
	return v.kind == kindPointer || v.typ.form == formPointer || v.kind == kindPlace && v.typ.form == formArray
}

// pointerSum adds bytes to an address, or takes them away. Unlike in C the
// number is not scaled: the paper adds sizeof to a pointer (trio §3.2).
func (c *checker) pointerSum(e *syntax.Binary, x, y value) value {
	if e.Op == "-" && isAddress(y) {
		return c.distance(e, x, y)
	}
	xe, ye := e.X, e.Y
	if !isAddress(x) {
		x, y, xe, ye = y, x, ye, xe
	}
	p := c.pointer(x, xe.Position())
	if !p.ok() {
		return p
	}
	if y.isConst() {
		n := int64(y.constant())
		if e.Op == "-" {
			n = -n
		}
		p.off += n
		if n < -maxOffset || n > maxOffset || p.off < -maxOffset || p.off > maxOffset {
			return c.rulef(e.Pos, ruleLMEM, "%s is outside of it", syntax.Text(e))
		}
		return p
	}
	n, ok := c.load(y, ye)
	if !ok {
		return value{}
	}
	if e.Op == "+" {
		p.base = sum(p.base, n)
		return p
	}
	base, ok := c.loadPointer(p, xe)
	if !ok {
		return value{}
	}
	return value{kind: kindPointer, typ: p.typ, base: isa.Binary{Op: isa.Sub, X: base, Y: n}}
}

// distance is the number of bytes between two addresses.
func (c *checker) distance(e *syntax.Binary, x, y value) value {
	p, q := c.pointer(x, e.X.Position()), c.pointer(y, e.Y.Position())
	if !p.ok() || !q.ok() {
		return value{}
	}
	if p.base == q.base {
		return constant(uint64(p.off - q.off))
	}
	l, ok1 := c.loadPointer(p, e.X)
	r, ok2 := c.loadPointer(q, e.Y)
	if !ok1 || !ok2 {
		return value{}
	}
	return computed(isa.Binary{Op: isa.Sub, X: l, Y: r}, isa.FieldBits)
}

// multiply makes a shift of a product with a power of two.
func (c *checker) multiply(e *syntax.Binary, x, y value) value {
	xe := e.X
	if x.isConst() {
		x, y, xe = y, x, e.Y
	}
	if !y.isConst() || bits.OnesCount64(y.constant()) != 1 {
		return c.rulef(e.Pos, ruleMultiply, "* of a variable by anything but a constant power of two")
	}
	l, ok := c.load(x, xe)
	if !ok {
		return value{}
	}
	if y.constant() == 1 {
		return computed(l, widthOf(l, x))
	}
	n := bits.TrailingZeros64(y.constant())
	return computed(isa.Binary{Op: isa.ShiftLeft, X: l, Y: isa.Const(n)}, min(isa.FieldBits, widthOf(l, x)+n))
}

func foldUnary(op string, n uint64) value {
	switch op {
	case "-":
		return constant(-n)
	case "~":
		return constant(^n)
	}
	return boolean(n == 0)
}

func boolean(b bool) value {
	if b {
		return value{kind: kindConst, typ: typeBool, n: 1}
	}
	return value{kind: kindConst, typ: typeBool}
}

// arithmetic are the operators of constants that give a number.
var arithmetic = map[string]func(x, y uint64) uint64{
	"+":  func(x, y uint64) uint64 { return x + y },
	"-":  func(x, y uint64) uint64 { return x - y },
	"*":  func(x, y uint64) uint64 { return x * y },
	"/":  func(x, y uint64) uint64 { return x / y },
	"%":  func(x, y uint64) uint64 { return x % y },
	"&":  func(x, y uint64) uint64 { return x & y },
	"|":  func(x, y uint64) uint64 { return x | y },
	"^":  func(x, y uint64) uint64 { return x ^ y },
	"<<": func(x, y uint64) uint64 { return x << y },
	">>": func(x, y uint64) uint64 { return x >> y },
}

// logic are those that give a truth value.
var logic = map[string]func(x, y uint64) bool{
	"==": func(x, y uint64) bool { return x == y },
	"!=": func(x, y uint64) bool { return x != y },
	"<":  func(x, y uint64) bool { return x < y },
	"<=": func(x, y uint64) bool { return x <= y },
	">":  func(x, y uint64) bool { return x > y },
	">=": func(x, y uint64) bool { return x >= y },
	"&&": func(x, y uint64) bool { return x != 0 && y != 0 },
	"||": func(x, y uint64) bool { return x != 0 || y != 0 },
}

// fold computes a constant, in 64 bits.
func (c *checker) fold(e *syntax.Binary, x, y uint64) value {
	if y == 0 && (e.Op == "/" || e.Op == "%") {
		return c.errorf(e.Pos, "division by zero")
	}
	if compute, ok := arithmetic[e.Op]; ok {
		return constant(compute(x, y))
	}
	return boolean(logic[e.Op](x, y))
}
