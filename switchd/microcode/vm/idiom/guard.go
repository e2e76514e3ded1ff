package idiom

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A guard is a comparison of which only x changes: it comes nearer to y by a
// constant in each iteration.
type guard struct {
	op    isa.Op
	x, y  term
	falls bool // x becomes less
	by    uint64
}

// negated and mirrored are comparisons that hold if another does not, and if it
// does with its operands exchanged.
var (
	negated = [isa.GreaterEqual + 1]isa.Op{isa.Less: isa.GreaterEqual, isa.LessEqual: isa.Greater,
		isa.Greater: isa.LessEqual, isa.GreaterEqual: isa.Less}
	mirrored = [isa.GreaterEqual + 1]isa.Op{isa.NotEqual: isa.NotEqual, isa.Less: isa.Greater,
		isa.LessEqual: isa.GreaterEqual, isa.Greater: isa.Less, isa.GreaterEqual: isa.LessEqual}
)

// guard takes a condition that has to hold, or not to hold, in every iteration of a
// stream. One of two conditions that both have to hold may be known.
func (r *loopReader) guard(e isa.Expr, not bool) bool {
	if holds, known := r.decide(e); known {
		return holds != not
	}
	c, ok := e.(isa.Binary)
	both := isa.LogicalAnd
	if not {
		both = isa.LogicalOr
	}
	switch {
	case !ok:
		return false
	case c.Op == both:
		return r.guard(c.X, not) && r.guard(c.Y, not)
	case c.Op < isa.NotEqual || c.Op > isa.GreaterEqual:
		return false
	}
	g := guard{op: c.Op}
	if not {
		g.op = negated[g.op]
	}
	var plain [2]bool
	g.x, plain[0] = r.term(c.X)
	g.y, plain[1] = r.term(c.Y)
	r.while = append(r.while, g)
	return plain[0] && plain[1]
}

// finish decides, now that all steps are known, how each guard changes; false if
// one of them changes in a way that a guard does not describe.
func (r *loopReader) finish() bool {
	for i := range r.while {
		g := &r.while[i]
		x, plain := r.stride(&g.x)
		y, same := r.stride(&g.y)
		if y != 0 {
			g.op, g.x, g.y, x, y = mirrored[g.op], g.y, g.x, y, x
		}
		if !plain || !same || x == 0 || y != 0 {
			return false
		}
		g.by, g.falls = x, x > wrap/2
		if g.falls {
			g.by = -x & wrap
		}
		switch g.op {
		case isa.NotEqual:
		case isa.Less, isa.LessEqual:
			if g.falls {
				return false
			}
		case isa.Greater, isa.GreaterEqual:
			if !g.falls {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// stride returns what an iteration adds to a term; false if it changes in
// another way, being a part of what steps, or set.
func (r *loopReader) stride(o *term) (uint64, bool) {
	s := r.of(o.half)
	switch {
	case s == nil:
		return 0, true
	case o.whole() && !s.sets:
		return s.value, true
	}
	return 0, false
}

// holds reports whether the condition holds after so many iterations.
func (g *guard) holds(t *vm.Thread, n uint64) bool {
	by := g.by
	if g.falls {
		by = -by
	}
	return vm.Compare(g.op, (g.x.value(t)+n*by)&wrap, g.y.value(t))
}

// count returns how many iterations from now on surely find that the condition
// holds. No value wraps around in them, unless only equality is asked for.
func (g *guard) count(t *vm.Thread) uint64 {
	x, y := g.x.value(t), g.y.value(t)
	if g.op != isa.NotEqual && !vm.Compare(g.op, x, y) {
		return 0
	}
	d := (y - x) & wrap
	if g.falls {
		d = (x - y) & wrap
	}
	if g.op == isa.LessEqual || g.op == isa.GreaterEqual {
		return g.steps(d) + 1
	}
	return g.steps(d + g.by - 1)
}

// steps returns how many whole steps a distance has. Most are of a power of two.
func (g *guard) steps(d uint64) uint64 {
	if g.by&(g.by-1) == 0 {
		return d >> bits.TrailingZeros64(g.by)
	}
	return d / g.by
}
