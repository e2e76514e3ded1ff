package vm

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// grower makes a branch: it goes through a control with what is certain, answers the
// questions on its way by the trail, and keeps the steps behind the last of them.
type grower struct {
	facts
	code  *Code
	pipe  *Pipe
	tree  *tree
	trail []int // answers that are left
	steps []step
	args  []uint64
	told  bool // the steps give the arguments to those who ask for them
}

// begin says what the chip may tell a side.
func (g *grower) begin(side fit.Side) {
	a := &g.code.at
	open := []int{a.port, a.time, a.bytes, a.resubmitted}
	if g.code.resub >= 0 {
		open = append(open, g.code.resub)
	}
	if side == fit.Egress {
		open = append(slices.Clone(g.code.bridged), a.outPort, a.outRID, a.outCopy, a.outMirrored, a.outDepth)
	} else {
		g.slots[a.pipe] = all(uint64(g.pipe.number))
	}
	for _, slot := range open {
		g.slots[slot] = bits{}
	}
}

// through goes through a control, up to a question without an answer.
func (g *grower) through(code instructions) {
	for pc := 0; pc < len(code); {
		in, next := &code[pc], pc+1
		switch in.op {
		case opJump:
			next = int(in.jump)
		case opUnlessValid:
			if !g.valid[in.dst] {
				next = int(in.jump)
			}
		case opUnless:
			holds, ok := g.test(in.rare.test)
			if !ok {
				return
			}
			if !holds {
				next = int(in.jump)
			}
		case opLookup, opLookupOnce:
			if !g.lookup(in) {
				return
			}
		case opCall:
			if in.rare.opaque {
				g.emit(step{op: stepRest, dst: int32(pc)})
				return
			}
			g.do(in)
		default:
			g.do(in)
		}
		pc = next
	}
	g.emit(step{op: stepEnd})
}

// ask takes the next answer; where there is none the branch ends with the question.
func (g *grower) ask(question step) (answer int, ok bool) {
	if len(g.trail) == 0 {
		g.emit(question)
		return 0, false
	}
	answer, g.trail = g.trail[0], g.trail[1:]
	return answer, true
}

// is finds out whether a field is some value under a mask; ok is false where the packet
// has to be asked.
func (g *grower) is(r *ref, want bits) (yes, ok bool) {
	b := g.of(r)
	if b.mask&want.mask&(b.value^want.value) != 0 {
		return false, true
	}
	open := want.mask &^ b.mask
	if open == 0 {
		return true, true
	}
	answer, ok := g.ask(g.compare(r, open, want.value&open))
	switch {
	case !ok:
		return false, false
	case answer == 1:
		g.learn(r, bits{open, want.value & open})
	case open&(open-1) == 0:
		g.learn(r, bits{open, ^want.value & open})
	}
	return answer == 1, true
}

// compare returns the question whether a field is some value under a mask.
func (g *grower) compare(r *ref, mask, value uint64) step {
	switch {
	case r.kind == inSlot:
		return step{op: stepIsSlot, a: int16(r.off), x: mask, y: value}
	case r.inOne():
		return step{op: stepIsField, a: r.head, dst: r.off, x: mask << r.shift, y: value << r.shift}
	}
	test := &relation{op: relEqual, left: r, mask: mask, constant: value}
	st := step{op: stepTest, dst: int32(len(g.tree.tests))}
	g.list(func(t *tree) { t.tests = append(t.tests, test) })
	return st
}

// test finds out whether a relation holds; ok is false where the packet has to be asked.
func (g *grower) test(r *relation) (holds, ok bool) {
	right := all(r.constant)
	if r.right != nil {
		right = g.of(r.right)
	}
	left := g.of(r.left)
	switch {
	case left.known() && right.known():
		return r.of(left.value, right.value), true
	case r.op <= relNotEqual && right.known():
		same, ok := g.is(r.left, right)
		return same == (r.op == relEqual), ok
	case r.op <= relNotEqual && left.known():
		same, ok := g.is(r.right, left)
		return same == (r.op == relEqual), ok
	}
	answer, ok := g.ask(step{op: stepTest, dst: int32(len(g.tree.tests))})
	if !ok {
		g.tree.tests = append(g.tree.tests, r)
	}
	return answer == 1, ok
}

// candidates are the rows of a table that may match, as far as one certainly does, and
// that one or the default action.
func (g *grower) candidates(t *table) (rows []*row, otherwise *row) {
	known := g.words(t.key)
	for _, r := range t.rows {
		switch may, sure := match(r, known); {
		case may && sure:
			return rows, r
		case may && !slices.ContainsFunc(g.missed, r.pattern(t.key).same):
			rows = append(rows, r)
		}
	}
	return rows, &t.miss
}

// Bounds of rows that are held against the packet one after another, and of tables whose rows
// lead to branches: larger ones convert numbers or know hosts, and a branch for each would
// fill the tree. (assumed)
const (
	fewRows  = 4
	manyRows = 64
)

// lookup finds out what a table does; false: the packet has to be asked. Where a small
// constant table does the same with other arguments, branches are not worth it either.
func (g *grower) lookup(in *inst) bool {
	t := g.pipe.tables[in.dst]
	left := g.leavable(int(in.dst))
	if left && len(t.rows) > manyRows {
		return g.leave(in)
	}
	rows, otherwise := g.candidates(t)
	ok := true
	switch {
	case len(rows) == 0:
	case left && t.def.Const && sameAction(rows, otherwise):
		return g.leave(in)
	case len(rows) <= fewRows:
		otherwise, ok = g.first(t.key, rows, otherwise)
	default:
		otherwise, ok = g.choose(t)
	}
	if ok {
		g.act(in, t, otherwise)
	}
	return ok
}

// first finds the first row that matches; ok is false where the packet has to be asked.
func (g *grower) first(k *key, rows []*row, otherwise *row) (r *row, ok bool) {
	for _, r := range rows {
		if yes, ok := g.matches(r.pattern(k)); yes || !ok {
			return r, ok
		}
		g.missed = append(g.missed, r.pattern(k))
	}
	return otherwise, true
}

// matches finds out whether fields are what a row wants, one by one.
func (g *grower) matches(p pattern) (yes, ok bool) {
	for _, w := range p {
		if yes, ok := g.is(w.field, w.bits); !yes || !ok {
			return false, ok
		}
	}
	return true, true
}

// choose lets the table find the row.
func (g *grower) choose(t *table) (r *row, ok bool) {
	answer, ok := g.ask(step{op: stepTable, dst: int32(len(g.tree.tables))})
	if !ok {
		g.tree.tables = append(g.tree.tables, choice{table: t, to: make([]int32, len(t.rows)+1), last: -1})
		return nil, false
	}
	if len(t.rows) <= manyRows {
		for _, r := range t.rows[:answer] {
			g.missed = append(g.missed, r.pattern(t.key))
		}
	}
	if answer == len(t.rows) {
		return &t.miss, true
	}
	g.matched(t.key, t.rows[answer].values, t.rows[answer].masks)
	return t.rows[answer], true
}

// sameAction reports whether rows do the same, but for the arguments; and if none
// matches, the same or nothing.
func sameAction(rows []*row, otherwise *row) bool {
	for _, r := range rows {
		if r.action != rows[0].action {
			return false
		}
	}
	return otherwise.action < 0 || otherwise.action == rows[0].action
}

// leavable reports whether no action of a table changes which headers are valid. Then a
// branch may leave the lookup to the pass and go on: what it has to forget are fields.
func (g *grower) leavable(table int) bool {
	for _, a := range g.code.prog.Tables[table].Actions {
		if slices.ContainsFunc(a.Do, func(o fit.Op) bool { return ends(o.Kind) }) {
			return false
		}
	}
	return true
}

// leave keeps a lookup as it is, and forgets the fields that its actions may change.
func (g *grower) leave(in *inst) bool {
	from := &g.code.prog.Tables[in.dst]
	for i := range from.Actions {
		for n := range from.Copies {
			for _, f := range written(&from.Actions[i], n) {
				g.forget(&g.code.fields[f])
			}
		}
	}
	g.keep(in)
	return true
}
