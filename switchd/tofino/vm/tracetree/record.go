package tracetree

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// recorder makes a branch: it goes through a control with what is known, answers the guards
// that come first by the trail, and emits the steps behind the last of them.
type recorder struct {
	facts
	runner    *Runner
	tree      *tree
	trail     []int // answers that are left
	steps     []step
	unwritten []fit.FieldID // slots that are known to be a constant, and are not yet
	args      []uint64
	argsSet   bool // a step has set the arguments
}

// begin sets what is known when the control of a side begins.
func (g *recorder) begin(side fit.Side, path vm.Path, start []want) {
	for _, id := range g.code.Given(side) {
		g.forget(id)
	}
	if pipe, err := g.code.Field("ig.pipe"); err == nil && side == fit.Ingress {
		g.set(pipe, all(uint64(g.runner.pipe.Number())))
	}
	g.learnPath(g.code.Program().Gress[side].Parser, path)
	for _, w := range start {
		g.learn(w.field, w.bits)
	}
}

// control goes through a control, up to a guard without an answer.
func (g *recorder) control(side fit.Side) {
	code := g.code.Control(side)
	for pc := 0; pc < len(code); {
		in := &code[pc]
		pc++
		switch in.Op {
		case vm.Jump:
			pc = in.To
		case vm.Unless:
			holds, ok := g.cond(in)
			if !ok {
				return
			}
			if !holds {
				pc = in.To
			}
		case vm.Apply:
			switch {
			case g.code.MatchesOnce(in.Table):
				if !g.apply(in.Table) {
					return
				}
			case g.writesFields(in.Table):
				g.keepLookup(in.Table)
			default:
				g.needAll()
				g.emit(step{op: stepRest, dst: int32(pc - 1)})
				return
			}
		}
	}
	if len(g.trail) == 0 {
		g.emit(step{op: stepEnd, dst: g.leaf(side)})
	}
}

// answer takes the next answer of the trail; ok is false where the branch ends with a guard.
func (g *recorder) answer() (answer int, ok bool) {
	if len(g.trail) == 0 {
		return 0, false
	}
	answer, g.trail = g.trail[0], g.trail[1:]
	return answer, true
}

// equals finds out whether a field is some value under a mask; ok is false where the packet
// has to be asked.
func (g *recorder) equals(id fit.FieldID, want bits) (yes, ok bool) {
	b := g.known(id)
	if b.mask&want.mask&(b.value^want.value) != 0 {
		return false, true
	}
	open := want.mask &^ b.mask
	if open == 0 {
		return true, true
	}
	answer, ok := g.answer()
	switch {
	case !ok:
		g.emit(g.guard(id, open, want.value&open))
		return false, false
	case answer == 1:
		g.learn(id, bits{open, want.value & open})
	case open&(open-1) == 0:
		g.learn(id, bits{open, ^want.value & open})
	}
	return answer == 1, true
}

// guard returns the guard whether a field is some value under a mask.
func (g *recorder) guard(id fit.FieldID, mask, value uint64) step {
	switch r := g.code.Ref(id); {
	case r.InSlot():
		return step{op: guardSlot, a: int16(r.Off), x: mask, y: value}
	case inOneWord(r):
		return step{op: guardField, a: r.Head, dst: r.Off, x: mask << r.Shift, y: value << r.Shift}
	}
	return step{op: guardWide, dst: int32(id), x: mask, y: value}
}

// cond finds out whether a condition holds; ok is false where the packet has to be asked.
func (g *recorder) cond(in *vm.Instr) (holds, ok bool) {
	c := in.Cond
	if c.Valid != fit.NoHeader {
		return g.valid[c.Valid], true
	}
	left, right := g.known(c.Left), all(c.Right.Const)
	if c.Right.Kind == fit.FromField {
		right = g.known(c.Right.Field.ID)
	}
	equality := c.Op == ir.Equal || c.Op == ir.NotEqual
	switch {
	case left.whole() && right.whole():
		return in.Compare(left.value, right.value), true
	case equality && right.whole():
		same, ok := g.equals(c.Left, right)
		return same == (c.Op == ir.Equal), ok
	case equality && left.whole():
		same, ok := g.equals(c.Right.Field.ID, left)
		return same == (c.Op == ir.Equal), ok
	}
	g.needAll()
	answer, ok := g.answer()
	if !ok {
		add(g, &g.tree.conds, in, step{op: guardCond})
	}
	return answer == 1, ok
}

// candidates are the rows of a table that may match, as far as one certainly does, and
// that one or the default action.
func (g *recorder) candidates(t *vm.Table) (rows []*vm.Row, otherwise *vm.Row) {
	for _, r := range t.Rows {
		p := patternOf(t, r)
		switch may, sure := g.match(p); {
		case may && sure:
			return rows, r
		case may && !slices.ContainsFunc(g.missed, p.equal):
			rows = append(rows, r)
		}
	}
	return rows, &t.Miss
}

// Bounds of rows that are held against the packet one after another, and of tables whose rows
// lead to branches: larger ones convert numbers or know hosts, and a branch for each would
// fill the tree. (assumed)
const (
	fewRows  = 4
	manyRows = 64
)

// apply finds out what a table does; false: the packet has to be asked. Where a small
// constant table does the same with other arguments, branches are not worth it either.
func (g *recorder) apply(id fit.TableID) bool {
	t := g.runner.pipe.Table(id)
	keep := g.writesFields(id)
	if keep && len(t.Rows) > manyRows {
		g.keepLookup(id)
		return true
	}
	rows, otherwise := g.candidates(t)
	ok := true
	switch {
	case len(rows) == 0:
	case keep && t.Const && sameAction(rows, otherwise):
		g.keepLookup(id)
		return true
	case len(rows) <= fewRows:
		otherwise, ok = g.first(t, rows, otherwise)
	default:
		otherwise, ok = g.choose(t)
	}
	if ok {
		g.row(id, t, otherwise)
	}
	return ok
}

// first finds the first row that matches; ok is false where the packet has to be asked.
func (g *recorder) first(t *vm.Table, rows []*vm.Row, otherwise *vm.Row) (r *vm.Row, ok bool) {
	for _, r := range rows {
		p := patternOf(t, r)
		if yes, ok := g.equalsAll(p); yes || !ok {
			return r, ok
		}
		g.missed = append(g.missed, p)
	}
	return otherwise, true
}

// equalsAll finds out whether fields are what a row wants, one by one.
func (g *recorder) equalsAll(p pattern) (yes, ok bool) {
	for _, w := range p {
		if yes, ok := g.equals(w.field, w.bits); !yes || !ok {
			return false, ok
		}
	}
	return true, true
}

// choose lets the table find the row.
func (g *recorder) choose(t *vm.Table) (r *vm.Row, ok bool) {
	g.needAll()
	answer, ok := g.answer()
	if !ok {
		add(g, &g.tree.tables, choice{table: t, to: make([]int32, len(t.Rows)+1), last: -1}, step{op: guardRow})
		return nil, false
	}
	if len(t.Rows) <= manyRows {
		for _, r := range t.Rows[:answer] {
			g.missed = append(g.missed, patternOf(t, r))
		}
	}
	if answer == len(t.Rows) {
		return &t.Miss, true
	}
	for _, w := range patternOf(t, t.Rows[answer]) {
		g.learn(w.field, w.bits)
	}
	return t.Rows[answer], true
}

// sameAction reports whether rows do the same, but for the arguments; and if none
// matches, the same or nothing.
func sameAction(rows []*vm.Row, otherwise *vm.Row) bool {
	for _, r := range rows {
		if r.Action != rows[0].Action {
			return false
		}
	}
	return otherwise.Action < 0 || otherwise.Action == rows[0].Action
}

// writesFields reports whether no action of a table changes which headers are valid. Then a
// branch may leave the lookup to the pass and go on: it forgets some fields, no more.
func (g *recorder) writesFields(id fit.TableID) bool {
	return !slices.ContainsFunc(g.code.Program().Tables[id].Actions, func(a fit.Action) bool {
		return slices.ContainsFunc(a.Do, func(o fit.Op) bool { return o.Header != fit.NoHeader })
	})
}

// keepLookup leaves a lookup to the pass, and forgets the fields that its actions may change.
func (g *recorder) keepLookup(id fit.TableID) {
	g.needAll()
	g.emit(step{op: stepApply, dst: int32(id)})
	for i := range g.code.Program().Tables[id].Actions {
		for _, a := range g.code.Actions(id, i) {
			g.forgetWritten(a)
		}
	}
}
