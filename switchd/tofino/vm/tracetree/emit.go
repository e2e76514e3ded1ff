package tracetree

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// emit adds a step, unless a branch before has it.
func (g *recorder) emit(st step) {
	if len(g.trail) == 0 {
		g.steps = append(g.steps, st)
	}
}

// add emits a step whose dst is a place in a list of the tree.
func add[T any](g *recorder, list *[]T, v T, st step) {
	if len(g.trail) == 0 {
		st.dst = int32(len(*list))
		*list = append(*list, v)
		g.emit(st)
	}
}

// row emits what a row of a table does.
func (g *recorder) row(id fit.TableID, t *vm.Table, r *vm.Row) {
	if t.Counter {
		add(g, &g.tree.rows, r, step{op: stepCount})
	}
	if r.Action < 0 {
		return
	}
	g.args, g.argsSet = r.Args, false
	if list := g.runner.vectors[id]; list != nil && list[r.Action] != nil {
		g.vector(list[r.Action])
		return
	}
	for _, a := range g.code.Actions(id, r.Action) {
		g.action(a)
	}
}

// vector emits an access to all copies of a register.
func (g *recorder) vector(v *vector) {
	g.setArgs()
	if len(v.unless) > 0 {
		g.needAll() // copies one by one are actions
	}
	g.need(v.index.Reads)
	add(g, &g.tree.vectors, v, step{op: stepVector})
	if v.dst.on {
		for i := range v.copies {
			g.forget(v.dst.first + fit.FieldID(i))
		}
	}
}

// setArgs gives the arguments of a row to the operations that follow.
func (g *recorder) setArgs() {
	if !g.argsSet && len(g.args) > 0 {
		add(g, &g.tree.args, g.args, step{op: stepArgs})
	}
	g.argsSet = true
}

// action emits what a copy of an action does: operation by operation, unless one reads a field
// that an earlier one writes.
func (g *recorder) action(a vm.Action) {
	whole, done := readsItself(a), false
	for i := range a {
		switch o := &a[i]; {
		case o.Value == nil:
			g.header(o)
		case !whole:
			g.op(o)
		case !done:
			g.needAll()
			add(g, &g.tree.actions, bound{a, g.args}, step{op: stepAction})
			g.forgetWritten(a)
			done = true
		}
	}
}

// readsItself reports whether an operation of an action reads what an earlier one writes.
func readsItself(a vm.Action) bool {
	written := map[fit.FieldID]bool{}
	for i := range a {
		o := &a[i]
		for _, x := range append([]fit.Operand{o.A, o.B, o.Index}, o.In...) {
			if x.Kind == fit.FromField && written[x.Field.Of(o.Copy)] {
				return true
			}
		}
		if o.To != nil {
			written[o.Dst.Of(o.Copy)] = true
		}
	}
	return false
}

// forgetWritten forgets the fields that an action writes.
func (g *recorder) forgetWritten(a vm.Action) {
	for i := range a {
		if o := &a[i]; o.To != nil {
			g.forget(o.Dst.Of(o.Copy))
		}
	}
}

// header emits a step that changes whether a header is valid.
func (g *recorder) header(o *vm.Op) {
	st := step{op: stepRemove, dst: int32(o.Header)}
	if o.Kind == ir.Validate {
		st.op = stepValidate
	}
	if valid := o.Kind == ir.Validate; g.valid[o.Header] != valid {
		g.emit(st)
		g.setValid(o.Header, valid)
	}
}

// op emits what is not known of an operation, and learns from it.
func (g *recorder) op(o *vm.Op) {
	param, field := o.A, o.B
	if param.Kind != fit.FromParam {
		param, field = field, param
	}
	slot := o.To != nil && o.To.InSlot()
	switch paired := slot && param.Kind == fit.FromParam && field.Kind == fit.FromField; {
	case o.Kind == ir.Set && !g.slices(o):
		g.move(o)
	case paired && o.Kind == ir.Or:
		id, arg := field.Field.Of(o.Copy), g.args[param.Param]
		b := g.known(id)
		g.store(o, bits{b.mask | arg, b.value | arg}, g.load(id, o.To.Mask, arg))
	case paired && o.Kind == ir.Add:
		id, arg := field.Field.Of(o.Copy), g.args[param.Param]
		b := g.known(id)
		if b.value += arg; !b.whole() {
			b = bits{}
		}
		g.store(o, b, step{op: stepAdd, to: [2]int32{int32(id)}, x: o.To.Mask, y: arg})
	case slot && o.Kind == ir.Sub && o.A.Kind == fit.FromField && o.B.Kind == fit.Const && !g.slices(o):
		id := o.A.Field.Of(o.Copy)
		b := g.known(id)
		if b.value -= o.B.Const; !b.whole() {
			b = bits{}
		}
		g.store(o, b, step{op: stepAdd, to: [2]int32{int32(id)}, x: o.To.Mask, y: -o.B.Const})
	case o.Kind == ir.Execute:
		g.access(o)
	default:
		g.setArgs()
		g.needAll()
		add(g, &g.tree.computes, compute{o.Value, o.To}, step{op: stepCompute})
		g.forget(o.Dst.Of(o.Copy))
	}
}

// move emits an operation that only moves a value.
func (g *recorder) move(o *vm.Op) {
	switch o.A.Kind {
	case fit.Const:
		g.store(o, all(o.A.Const), step{})
	case fit.FromParam:
		g.store(o, all(g.args[o.A.Param]), step{})
	default:
		id := o.A.Field.Of(o.Copy)
		from, st := g.code.Ref(id), step{}
		switch {
		case !o.To.InSlot() && from.InSlot():
			st = step{op: stepStoreSlot, a: int16(from.Off)}
		case !o.To.InSlot():
			st = step{op: stepCopy, to: [2]int32{int32(id)}}
		case from.InSlot():
			st = step{op: stepMove, a: int16(from.Off), x: o.To.Mask}
		default:
			st = g.load(id, o.To.Mask, 0)
		}
		g.store(o, g.known(id), st)
	}
}

// load returns a step that reads a field into a slot, with more bits set, under a mask.
func (g *recorder) load(id fit.FieldID, mask, more uint64) step {
	r := g.code.Ref(id)
	if !inOneWord(r) {
		return step{op: stepFetch, to: [2]int32{int32(id)}, x: mask, y: more}
	}
	return step{op: stepLoad, shift: r.Shift, a: r.Head, to: [2]int32{r.Off}, x: mask & r.Mask, y: more & mask}
}

// inOneWord reports whether one step can read a field.
func inOneWord(r *vm.Ref) bool { return !r.InSlot() && r.Len <= 8 }

// store emits a step that writes a field, or the constant that it comes to; a header that is not
// valid has none.
func (g *recorder) store(o *vm.Op, b bits, otherwise step) {
	id := o.Dst.Of(o.Copy)
	b = b.cut(o.To.Mask)
	switch {
	case o.To.InSlot() && b.whole():
		g.constant(id, b.value)
		return
	case o.To.InSlot():
		otherwise.dst = o.To.Off
		g.written(id)
	case !g.valid[o.To.Head]:
		return
	case b.whole():
		otherwise = put(o.To, b.value)
		fallthrough
	default:
		otherwise.dst = int32(id)
	}
	g.emit(otherwise)
	g.set(id, b)
}

// put returns a step that writes a constant into a field of a header.
func put(r *vm.Ref, v uint64) step {
	st := step{a: r.Head, to: [2]int32{r.Off}, x: v << r.Low, y: r.Mask << r.Low}
	switch {
	case r.Len == 1:
		st.op = stepPut8
	case r.Len == 2:
		st.op = stepPut16
	case r.Len == 4 && r.Bits == 32:
		st.op = stepPut32
	default:
		st.op, st.x = stepStore, v
	}
	return st
}

// access emits an access to a register.
func (g *recorder) access(o *vm.Op) {
	if o.Index.Kind == fit.FromParam {
		g.setArgs()
	}
	g.need(o.Access.Reads)
	if o.To != nil {
		g.needFields(o.Dst.Of(o.Copy)) // of which it may write a part
	}
	add(g, &g.tree.accesses, access{o.Access, o.To}, step{op: stepAccess})
	if o.To != nil {
		g.forget(o.Dst.Of(o.Copy))
	}
}

// slices reports whether an operation moves a part of a field, or into one.
func (g *recorder) slices(o *vm.Op) bool {
	part := func(id fit.FieldID, bits int) bool { return bits < int(g.code.Ref(id).Bits) }
	return part(o.Dst.Of(o.Copy), o.DstBits) || o.A.Kind == fit.FromField && part(o.A.Field.Of(o.Copy), o.A.Bits)
}
