package vm

// act keeps what a row of a table does.
func (g *grower) act(in *inst, t *table, r *row) {
	if t.counter {
		g.emit(step{op: stepCount, dst: int32(len(g.tree.rows))})
		g.list(func(t *tree) { t.rows = append(t.rows, r) })
	}
	if r.action < 0 {
		return
	}
	g.args, g.told = r.args, false
	switch {
	case in.op == opLookup:
		g.all(r.code)
	case r.vector != nil:
		g.vector(r.vector)
	default:
		for _, code := range g.code.tables[in.dst].actions[r.action] {
			g.all(code)
		}
	}
}

func (g *grower) all(code instructions) {
	for i := range code {
		g.do(&code[i])
	}
}

// vector keeps an access to all copies of a register.
func (g *grower) vector(v *vector) {
	if v.index.param >= 0 {
		g.tell()
	}
	g.emit(step{op: stepVector, dst: int32(len(g.tree.vectors))})
	g.list(func(t *tree) { t.vectors = append(t.vectors, v) })
	if v.dst.on {
		for f := range g.code.fields {
			if r := &g.code.fields[f]; r.kind != inSlot && int(r.head) == v.dst.head {
				g.forget(r)
			}
		}
	}
}

// do keeps what is not certain of an instruction, and learns from it.
func (g *grower) do(in *inst) {
	switch in.op {
	case opConst:
		g.constant(in.dst, in.imm)
	case opParam:
		g.constant(in.dst, g.args[in.a]&in.imm)
	case opMove:
		g.toSlot(in, g.slots[in.a], step{op: stepMove, a: in.a, x: in.imm})
	case opLoad:
		g.toSlot(in, g.of(in.field), fetching(in.field, in.imm, 0))
	case opOrParam:
		b, a := g.of(in.field), g.args[in.a]
		g.toSlot(in, bits{b.mask | a, b.value | a}, fetching(in.field, in.imm, a))
	case opAddParam:
		b, a := g.of(in.field), g.args[in.a]
		if b.known() {
			b.value += a
		} else {
			b = bits{}
		}
		g.toSlot(in, b, step{op: stepAdd, to: [2]int32{in.field.id}, x: in.imm, y: a})
	case opStore:
		g.toField(in.field, all(in.imm), step{})
	case opStoreParam:
		g.toField(in.field, all(g.args[in.a]&in.field.mask), step{})
	case opStoreSlot:
		g.toField(in.field, g.slots[in.a], step{op: stepStoreSlot, a: in.a})
	case opCopy:
		g.toField(in.field, g.of(in.rare.from), step{op: stepCopy, to: [2]int32{in.rare.from.id}})
	case opValidate, opRemove:
		g.header(in)
	case opArgs:
		g.args, g.told = in.rare.args, false
	case opStateful:
		g.stateful(in)
	case opJoin:
		g.keep(in)
		g.forget(g.code.bySlot[in.dst])
	default: // a call
		g.tell()
		g.keep(in)
		for _, f := range in.rare.writes {
			g.forget(&g.code.fields[f])
		}
	}
}

// fetching returns a step that reads a field into a slot, with more bits set, under a
// mask.
func fetching(r *ref, mask, more uint64) step {
	if !r.inOne() {
		return step{op: stepFetch, to: [2]int32{r.id}, x: mask, y: more}
	}
	return step{op: stepLoad, shift: r.shift, a: r.head, to: [2]int32{r.off}, x: mask & r.mask, y: more & mask}
}

// toSlot keeps a step that writes a slot, or the constant that it comes to.
func (g *grower) toSlot(in *inst, b bits, otherwise step) {
	if b = b.cut(in.imm); b.known() {
		g.constant(in.dst, b.value)
		return
	}
	otherwise.dst = in.dst
	g.emit(otherwise)
	g.set(g.code.bySlot[in.dst], b)
}

// constant writes a slot, unless it is so already. Two are one step.
func (g *grower) constant(slot int32, v uint64) {
	if g.slots[slot] == all(v) {
		return
	}
	g.set(g.code.bySlot[slot], all(v))
	if last := len(g.steps) - 1; last >= 0 && len(g.trail) == 0 {
		if st := &g.steps[last]; st.op == stepConst && int32(st.a) == st.dst && slot != st.dst {
			st.a, st.y = int16(slot), v
			return
		}
	}
	g.emit(step{op: stepConst, dst: slot, a: int16(slot), x: v, y: v})
}

// toField keeps a step that writes a field, if its header is there.
func (g *grower) toField(r *ref, b bits, otherwise step) {
	if !g.valid[r.head] {
		return
	}
	if b = b.cut(r.mask); b.known() {
		otherwise = r.putting(b.value)
	}
	otherwise.dst = r.id
	g.emit(otherwise)
	g.set(r, b)
}

// header keeps a step that changes whether a header is valid. One that is added is all
// zero.
func (g *grower) header(in *inst) {
	valid := in.op == opValidate
	if g.valid[in.dst] == valid {
		return
	}
	st := step{op: stepRemove, dst: in.dst}
	if valid {
		st.op = stepValidate
	}
	g.emit(st)
	g.valid[in.dst] = valid
	for f := range g.code.fields {
		if r := &g.code.fields[f]; r.kind != inSlot && int32(r.head) == in.dst {
			g.set(r, all(0))
		}
	}
}

func (g *grower) stateful(in *inst) {
	a := in.rare.access
	if a.index.param >= 0 {
		g.tell()
	}
	g.emit(step{op: stepStateful, dst: int32(len(g.tree.accesses))})
	g.list(func(t *tree) { t.accesses = append(t.accesses, a) })
	if a.dst != nil {
		g.forget(a.dst)
	}
}

// tell gives the arguments of a row to the instructions that follow.
func (g *grower) tell() {
	if !g.told && len(g.args) > 0 {
		g.keep(&inst{op: opArgs, rare: &rare{args: g.args}})
	}
	g.told = true
}

// keep adds an instruction as it is.
func (g *grower) keep(in *inst) {
	g.emit(step{op: stepRun, dst: int32(len(g.tree.insts)), a: 1})
	g.list(func(t *tree) { t.insts = append(t.insts, *in) })
}

// list changes the lists of the tree, unless a branch before has done so.
func (g *grower) list(do func(*tree)) {
	if len(g.trail) == 0 {
		do(g.tree)
	}
}

// emit adds a step, unless a branch before has it.
func (g *grower) emit(st step) {
	if len(g.trail) == 0 {
		g.steps = append(g.steps, st)
	}
}
