package check

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var (
	ruleDepth     = rule{"calls are nested at most 8 deep", "trio §2.2"}
	ruleRecursion = rule{"a subroutine does not call itself: the depth of calls is known when the program is compiled",
		"assumed: the call stack has 8 places, trio §2.2"}
)

// A routine is an entry or the target of a call, with what it can do without
// leaving it.
type routine struct {
	calls   []call
	returns int // an instruction that returns; -1: none
	depth   int // calls below it, or one of:
}

const (
	unknown = -1
	running = -2 // it is being computed
)

// maxSteps bounds the instructions that are looked at to follow calls, each
// routine looking at its own. Far more than any program of MaxProgram
// instructions needs whose routines are not tails of each other.
const maxSteps = 1 << 22

type call struct{ from, to int }

// flow checks where instructions lead: that none runs off the end, and how deep
// calls nest.
func (c *checker) flow() {
	n := len(c.prog.Instructions)
	last := c.prog.Instructions[n-1]
	for _, b := range last.Next {
		if b.Jump == isa.Goto && b.Target == n || b.Jump == isa.Call {
			c.errorf(c.ends[n-1], "the last instruction goes on to an instruction that is not there; end it with goto, return or exit")
			return
		}
	}
	routines := map[int]*routine{}
	for _, e := range c.prog.Entries {
		r := c.routine(routines, e.Target)
		if len(c.errs) > 0 {
			return
		}
		if r.returns >= 0 {
			c.errorf(c.pos(r.returns), "return is reached from %s without a call", c.label(e.Target))
			return
		}
		depth, ok := c.depth(routines, e.Target, 0)
		if !ok {
			return
		}
		c.prog.CallDepth = max(c.prog.CallDepth, depth)
	}
}

func (c *checker) pos(i int) syntax.Pos { return syntax.Pos(c.prog.Instructions[i].Pos) }

// label names an instruction in errors.
func (c *checker) label(i int) string {
	if l := c.prog.Instructions[i].Labels; len(l) > 0 {
		return l[0]
	}
	return fmt.Sprintf("the instruction at line %d", c.prog.Instructions[i].Pos.Line)
}

// routine follows all that is reached from start without entering a call.
func (c *checker) routine(known map[int]*routine, start int) *routine {
	if r := known[start]; r != nil {
		return r
	}
	r := &routine{returns: -1, depth: unknown}
	known[start] = r
	seen := map[int]bool{start: true}
	for todo := []int{start}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.steps++; c.steps > maxSteps {
			c.errorf(c.pos(start), "the calls of the program take more than %d steps to follow", maxSteps)
			return r
		}
		for _, b := range c.prog.Instructions[at].Next {
			next := b.Target
			switch b.Jump {
			case isa.Exit:
				continue
			case isa.Return:
				if r.returns < 0 {
					r.returns = at
				}
				continue
			case isa.Call:
				r.calls = append(r.calls, call{at, b.Target})
				next = at + 1
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return r
}

// depth is how deep the calls below a routine nest, which itself runs at this
// level of calls; false after an error. It follows no more calls than the stack
// has places.
func (c *checker) depth(known map[int]*routine, start, level int) (int, bool) {
	r := c.routine(known, start)
	if r.depth >= 0 {
		return r.depth, true
	}
	r.depth = running
	deepest := 0
	for _, call := range r.calls {
		if below := known[call.to]; below != nil && below.depth == running {
			c.rulef(c.pos(call.from), ruleRecursion, "%s is called while it runs", c.label(call.to))
			return 0, false
		}
		if level == isa.CallDepth {
			c.rulef(c.pos(call.from), ruleDepth, "the call of %s is number %d in a row", c.label(call.to), level+1)
			return 0, false
		}
		d, ok := c.depth(known, call.to, level+1)
		if !ok || c.steps > maxSteps {
			return 0, false
		}
		if level+1+d > isa.CallDepth {
			c.rulef(c.pos(call.from), ruleDepth, "the call of %s makes calls %d deep", c.label(call.to), level+1+d)
			return 0, false
		}
		deepest = max(deepest, d+1)
	}
	r.depth = deepest
	return deepest, true
}
