package tracetree

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// RunGroup takes neighbours, whose headers stand at the same places, through the control of a side
// together: each step is one loop over packets. Where a guard parts them, those up to the first with
// another answer go on to the end; the rest come back to the guard.
func (r *Runner) RunGroup(g *vm.Group, from, to int, end vm.GroupEnd) {
	if to-from == 1 {
		g.SetFacts(nil, nil)
		r.Run(g.Select(from), g.Side())
		g.End(from, to, end)
		return
	}
	g.Select(from)
	r.walk(g, r.root(&g.Pass, g.Side()), run{from, to}, end)
}

// run is neighbours, up to before a last one.
type run struct{ from, to int }

// walk takes a run from a step to the end of the control.
func (r *Runner) walk(g *vm.Group, pc int32, w run, end vm.GroupEnd) {
	for {
		st := &r.trees[g.Side()].steps[pc]
		switch st.op {
		case guardSlot, guardField, guardWide, guardCond, guardRow:
			part, next := r.part(g, pc, w)
			if part < w.to {
				saved := g.Save()
				r.walk(g, next, run{w.from, part}, end)
				g.Restore(saved)
				g.Drop(saved)
				w.from = part
				continue
			}
			pc = next
		case stepEnd:
			l := &r.trees[g.Side()].leaves[st.dst]
			g.SetFacts(l.facts, l.verdict)
			g.End(w.from, w.to, end)
			return
		case stepRest:
			g.EachAlone(w.from, w.to, end, func(s *vm.Pass) { s.RunFrom(g.Side(), int(st.dst)) })
			return
		default:
			r.column(g, st, w)
			pc++
		}
	}
}

// part returns the first packet of a run that answers a guard in another way than those before, and the step that
// follows for those.
func (r *Runner) part(g *vm.Group, pc int32, w run) (part int, next int32) {
	t := &r.trees[g.Side()]
	st := &t.steps[pc]
	answer := 0
	switch st.op {
	case guardSlot, guardField:
		c := r.guarded(g, st)
		answer, part = firstOther(g.Lanes(w.from, w.to), &c, st)
		part += w.from
	case guardRow:
		row, other := t.tables[st.dst].table.MatchGroup(g, w.from, w.to)
		if next = t.tables[st.dst].to[row.Place]; next == 0 {
			next = r.record(g.Select(w.from), g.Side(), pc, row.Place)
		}
		return other, next
	default:
		answer, part = r.ask1(g.Select(w.from), t, st), w.from+1
		for part < w.to && r.ask1(g.Select(part), t, st) == answer {
			part++
		}
	}
	if next = st.to[answer]; next == 0 {
		next = r.record(g.Select(w.from), g.Side(), pc, answer)
	}
	return part, next
}

// guarded returns what a guard compares: under a mask of a slot, or of eight bytes of a header.
func (r *Runner) guarded(g *vm.Group, st *step) vm.Column {
	if st.op == guardSlot {
		return vm.SlotColumn(int(st.a))
	}
	return g.Place(int(st.a), int(st.dst))
}

// firstOther returns the answer of the first packet, and the first that has another one.
func firstOther(lanes []vm.Lane, c *vm.Column, st *step) (answer, other int) {
	holds, other := c.Alike(lanes, st.x, st.y)
	if holds {
		answer = 1
	}
	return answer, other
}

// ask1 returns the answer of a packet to a guard that takes more than a comparison.
func (r *Runner) ask1(s *vm.Pass, t *tree, st *step) int {
	holds := false
	if st.op == guardCond {
		holds = t.conds[st.dst].Holds(s)
	} else {
		holds = s.Get(r.ref(st.dst))&st.x == st.y
	}
	if holds {
		return 1
	}
	return 0
}

// column does a step that is no guard for a run.
func (r *Runner) column(g *vm.Group, st *step, w run) {
	t, lanes := &r.trees[g.Side()], g.Lanes(w.from, w.to)
	switch st.op {
	case stepConst:
		for i := range lanes {
			slots := lanes[i].Slots
			slots[st.dst], slots[st.a] = st.x, st.y
		}
	case stepMove:
		for i := range lanes {
			slots := lanes[i].Slots
			slots[st.dst] = slots[st.a] & st.x
		}
	case stepLoad:
		c := g.Place(int(st.a), int(st.to[0]))
		c.Load(lanes, int(st.dst), st.shift, st.x, st.y)
	case stepPut8, stepPut16, stepPut32:
		r.put(g, st, lanes)
	case stepStoreSlot:
		g.PutSlot(r.ref(st.dst), lanes, int(st.a))
	case stepAccess:
		t.accesses[st.dst].Each(g, w.from, w.to, t.accesses[st.dst].to)
	case stepVector:
		t.vectors[st.dst].executeEach(r, g, w)
	case stepApply:
		r.applyEach(g, fit.TableID(st.dst), w)
	case stepValidate:
		g.ValidateAll(fit.HeaderID(st.dst), w.from, w.to)
	case stepRemove:
		g.Invalidate(fit.HeaderID(st.dst))
	case stepArgs:
		g.SetArgs(t.args[st.dst])
	case stepFetch, stepAdd:
		r.fetch(g, st, lanes)
	case stepAction:
		saved := g.Save() // an action may also remove headers, which those behind still read
		for i := w.from; i < w.to; i++ {
			g.Restore(saved)
			g.Select(i).Do(t.actions[st.dst].action, t.actions[st.dst].args)
		}
		g.Drop(saved)
	default:
		for i := w.from; i < w.to; i++ {
			r.single(g.Select(i), t, st)
		}
	}
}

// single does a step for one packet, of those that also Run does.
func (r *Runner) single(s *vm.Pass, t *tree, st *step) {
	switch st.op {
	case stepCompute:
		s.Put(t.computes[st.dst].to, t.computes[st.dst].value(s))
	default:
		r.step(s, t, st)
	}
}

// put writes a constant into a field.
func (r *Runner) put(g *vm.Group, st *step, lanes []vm.Lane) {
	c := g.Place(int(st.a), int(st.to[0]))
	switch st.op {
	case stepPut8:
		for i := range lanes {
			b := c.Bytes(&lanes[i])
			b[0] = b[0]&^uint8(st.y) | uint8(st.x)
		}
	case stepPut16:
		for i := range lanes {
			b := c.Bytes(&lanes[i])
			binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^uint16(st.y)|uint16(st.x))
		}
	default:
		for i := range lanes {
			binary.BigEndian.PutUint32(c.Bytes(&lanes[i]), uint32(st.x))
		}
	}
}

// fetch reads a field into a slot, with a constant.
func (r *Runner) fetch(g *vm.Group, st *step, lanes []vm.Lane) {
	c := g.Column(r.ref(st.to[0]))
	for i := range lanes {
		l := &lanes[i]
		if st.op == stepAdd {
			l.Slots[st.dst] = (c.Get(l) + st.y) & st.x
		} else {
			l.Slots[st.dst] = (c.Get(l) | st.y) & st.x
		}
	}
}
