package tracetree

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Slots get constants that few steps read: what follows from them is evaluated when a way is recorded. So no step
// writes them until another one is about to read the slot, or the control is over and somebody may look.
//
//	control   meta.n = 1 --> if meta.n == 1 --> access of entry meta.n
//	steps     (none)         (none)             slot n = 1, access
//
// A way through many branches is recorded again and again from its root: the steps that a branch before has are not
// emitted then, so what is not written yet comes out the same.

// Unread returns the metadata that is read behind a control, in addition to what package vm reads, where that is not all
// of it; false: anything may be read. v is what an ingress tells but for the port, nil where it is not known.
type Unread func(side fit.Side, v *vm.Verdict, known func(fit.FieldID) (value uint64, ok bool)) (read []fit.FieldID, ok bool)

// constant sets a slot, unless it is so already.
func (g *recorder) constant(id fit.FieldID, v uint64) {
	if g.known(id) == all(v) {
		return
	}
	g.set(id, all(v))
	if !slices.Contains(g.unwritten, id) {
		g.unwritten = append(g.unwritten, id)
	}
}

// written notes that a step writes all of a slot.
func (g *recorder) written(id fit.FieldID) {
	g.unwritten = slices.DeleteFunc(g.unwritten, func(u fit.FieldID) bool { return u == id })
}

// need writes what is not written yet of the slots that the next step reads.
func (g *recorder) need(reads func(slot int) bool) {
	g.unwritten = slices.DeleteFunc(g.unwritten, func(id fit.FieldID) bool {
		slot := g.code.Ref(id).Off
		if !reads(int(slot)) {
			return false
		}
		g.writeSlot(slot, g.fields[id].value)
		return true
	})
}

// needAll is need of a step that may read any slot.
func (g *recorder) needAll() { g.need(func(int) bool { return true }) }

// needFields is need of some fields.
func (g *recorder) needFields(list ...fit.FieldID) {
	g.need(func(slot int) bool {
		return slices.ContainsFunc(list, func(id fit.FieldID) bool { return int(g.code.Ref(id).Off) == slot && g.code.Ref(id).InSlot() })
	})
}

// writeSlot emits a step that sets a slot. Two are one step.
func (g *recorder) writeSlot(slot int32, v uint64) {
	if last := len(g.steps) - 1; last >= 0 && len(g.trail) == 0 {
		if st := &g.steps[last]; st.op == stepConst && int32(st.a) == st.dst && slot != st.dst {
			st.a, st.y = int16(slot), v
			return
		}
	}
	g.emit(step{op: stepConst, dst: slot, a: int16(slot), x: v, y: v})
}

// needBehind writes what is read behind a control.
func (g *recorder) needBehind(side fit.Side, v *vm.Verdict) {
	if g.runner.Unread == nil || side == fit.Ingress && v == nil {
		g.needAll()
		return
	}
	read, ok := g.runner.Unread(side, v, g.value)
	if !ok {
		g.needAll()
		return
	}
	g.needFields(append(g.code.Kept(side), read...)...)
}

// value returns the value of a field, if it is known.
func (g *recorder) value(f fit.FieldID) (v uint64, ok bool) {
	return g.known(f).value, g.known(f).whole()
}
