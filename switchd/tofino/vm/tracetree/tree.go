package tracetree

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Runner runs the controls of one pipe.
type Runner struct {
	pipe    *vm.Pipe
	code    *vm.Code
	trees   [2]tree     // by side
	vectors [][]*vector // by table and action; nil: copy by copy
	arrays  []*arrayKey // by table; nil: it matches once
	rows    []*vm.Row   // that copies of the table at hand may match
	zeros   []byte      // of headers that are not valid
	lane    []byte
	facts   map[string]*vm.Facts // behind ways, by what is known

	Unread Unread // nil: anything may be read; to be set before the first packet
}

// maxHeads is how many headers of a program a root can tell apart.
const maxHeads = 64

// Attach lets a pipe take packets through its controls by trace trees. A pipe whose program
// has more than 64 headers stays as it is; then it returns nil.
func Attach(p *vm.Pipe) *Runner {
	prog := p.Code().Program()
	if len(prog.Headers) > maxHeads {
		return nil
	}
	r := &Runner{pipe: p, code: p.Code(), vectors: make([][]*vector, len(prog.Tables)), arrays: make([]*arrayKey, len(prog.Tables))}
	for i := range r.vectors {
		id := fit.TableID(i)
		if !r.code.MatchesOnce(id) {
			if r.arrays[i] = compileArrayKey(r.code, id); r.arrays[i] == nil {
				continue
			}
		}
		r.vectors[i] = compileVectors(p, id)
	}
	for i := range prog.Headers {
		r.zeros = append(r.zeros, make([]byte, max(0, prog.Headers[i].Bytes-len(r.zeros)))...)
	}
	p.SetRunner(r)
	return r
}

// EntriesChanged discards what was recorded with other entries.
func (r *Runner) EntriesChanged() { r.trees = [2]tree{} }

// tree is what a pipe has recorded of the paths through a control. A branch has the steps up
// to the next guard; it is recorded when a packet comes to it first.
//
//	headers eth ipv4 udp --> do ... --> is meta.late 1? --no--> do ... --> end
//	                                                    --yes--> (no packet yet)
type tree struct {
	roots    []root
	steps    []step // 0 is not one
	branches []branch

	conds    []*vm.Instr
	tables   []choice
	rows     []*vm.Row
	args     [][]uint64
	accesses []access
	computes []compute
	actions  []bound
	vectors  []*vector
	leaves   []leaf // ends of ways
	latest   int    // root that was last
}

// maxSteps bounds a tree; one that is full is begun anew. (assumed)
const maxSteps = 1 << 18

// root is where packets begin that have the same headers, by the same path through the parser, and of which
// the same is known from a pass before.
type root struct {
	headers uint64
	path    vm.Path
	facts   *vm.Facts
	known   []want // by that
	step    int32
}

// branch is a run of steps, and the answer that leads there.
type branch struct {
	first  int32 // step
	guard  int32 // step in another branch; 0: it is a root
	answer int
}

// choice is a guard that has the rows of a table as answers.
type choice struct {
	table *vm.Table
	to    []int32 // by place of the row
	last  int32   // answer; -1: none
	next  int32   // where it led
}

// bound is an action with its arguments.
type bound struct {
	action vm.Action
	args   []uint64
}

// root returns the step that the packet begins with.
func (r *Runner) root(s *vm.Pass, side fit.Side) int32 {
	t := &r.trees[side]
	if len(t.steps) > maxSteps {
		*t = tree{}
	}
	headers, path := s.Parsed()
	x := root{headers: headers, path: path, facts: s.Facts()}
	if t.latest < len(t.roots) && t.roots[t.latest].same(&x) {
		return t.roots[t.latest].step
	}
	for t.latest = range t.roots {
		if t.roots[t.latest].same(&x) {
			return t.roots[t.latest].step
		}
	}
	x.known = r.start(s, headers)
	t.roots = append(t.roots, x)
	t.latest = len(t.roots) - 1
	return r.record(s, side, 0, 0)
}

func (x *root) same(y *root) bool {
	return x.headers == y.headers && x.path == y.path && x.facts == y.facts
}

// trail returns the answers from the root to a guard.
func (t *tree) trail(guard int32) (answers []int) {
	for guard > 0 {
		at, found := slices.BinarySearchFunc(t.branches, guard, func(b branch, g int32) int { return int(b.first) - int(g) })
		if !found {
			at--
		}
		b := &t.branches[at]
		if b.guard > 0 {
			answers = append(answers, b.answer)
		}
		guard = b.guard
	}
	slices.Reverse(answers)
	return answers
}

// record adds the branch that an answer to a guard leads to, or a root, and returns its first step.
func (r *Runner) record(s *vm.Pass, side fit.Side, guard int32, answer int) int32 {
	t := &r.trees[side]
	headers, path := s.Parsed()
	g := recorder{facts: newFacts(r.code, headers), runner: r, tree: t, trail: t.trail(guard)}
	if guard > 0 {
		g.trail = append(g.trail, answer)
	}
	g.begin(side, path, t.roots[t.latest].known)
	g.control(side)
	if len(t.steps) == 0 {
		t.steps = make([]step, 1)
	}
	first := int32(len(t.steps))
	t.steps = append(t.steps, g.steps...)
	t.branches = append(t.branches, branch{first, guard, answer})
	switch {
	case guard == 0:
		t.roots[t.latest].step = first
	case t.steps[guard].op == guardRow:
		t.tables[t.steps[guard].dst].to[answer] = first
	default:
		t.steps[guard].to[answer] = first
	}
	return first
}
