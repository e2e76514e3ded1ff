package vm

import "slices"

// tree is what a pipe has found out of the ways that packets take through a control.
// Where the headers that a packet has, the rows that it has matched and the
// conditions that held are known, most of what comes next is, too: constants, rows of
// further tables, conditions. A branch has the steps that are left up to the next
// question, which only the packet can answer; it grows when a packet comes to it first.
//
//	headers eth ipv4 udp --> do ... --> is meta.late 1? --no--> do ... --> end
//	                                                    --yes--> (no packet yet)
//
// A tree does what the instructions of the control do, only faster.
type tree struct {
	roots    []root
	steps    []step // 0 is not one
	branches []branch

	tests    []*relation
	tables   []choice
	accesses []*access
	vectors  []*vector
	rows     []*row
	insts    instructions
}

// maxSteps bounds a tree; one that is full is begun anew. (assumed)
const maxSteps = 1 << 18

// maxHeads is how many headers of a program a root can tell apart.
const maxHeads = 64

// root is where packets begin that have the same headers, by the same way through the
// parser.
type root struct {
	have, way uint64
	step      int32
}

// branch is a run of steps, and the answer that leads there.
type branch struct {
	first  int32 // step
	asked  int32 // question in another branch; 0: it is a root
	answer int
}

// choice is a question that has the rows of a table as answers.
type choice struct {
	table *table
	to    []int32 // by place of the row
	last  int32   // answer; -1: none
	next  int32   // where it led
}

// root returns the step that the packet begins with.
func (s *Pass) root(t *tree, side *side) int32 {
	if len(t.steps) > maxSteps {
		*t = tree{}
	}
	for i := range t.roots {
		if r := &t.roots[i]; r.have == s.have && r.way == s.way {
			return r.step
		}
	}
	return s.grow(t, side, 0, 0)
}

// trail returns the answers from the root to a question.
func (t *tree) trail(question int32) (answers []int) {
	for question > 0 {
		at, found := slices.BinarySearchFunc(t.branches, question, func(b branch, q int32) int { return int(b.first) - int(q) })
		if !found {
			at--
		}
		b := &t.branches[at]
		if b.asked > 0 {
			answers = append(answers, b.answer)
		}
		question = b.asked
	}
	slices.Reverse(answers)
	return answers
}

// grow adds the branch that an answer leads to, or a root, and returns its first step.
func (s *Pass) grow(t *tree, side *side, asked int32, answer int) int32 {
	g := grower{facts: s.code.newFacts(s.have), code: s.code, pipe: s.pipe, tree: t, trail: t.trail(asked)}
	if asked > 0 {
		g.trail = append(g.trail, answer)
	}
	g.begin(side.number)
	g.came(side.parser, s.way)
	g.through(side.control)
	if len(t.steps) == 0 {
		t.steps = make([]step, 1)
	}
	first := int32(len(t.steps))
	t.steps = append(t.steps, g.steps...)
	t.branches = append(t.branches, branch{first, asked, answer})
	switch {
	case asked == 0:
		t.roots = append(t.roots, root{s.have, s.way, first})
	case t.steps[asked].op == stepTable:
		t.tables[t.steps[asked].dst].to[answer] = first
	default:
		t.steps[asked].to[answer] = first
	}
	return first
}
