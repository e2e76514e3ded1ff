package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A Handler serves the XTXNs of running threads.
type Handler interface {
	// XTXN is called for t.Pending. The reply counts if the outcome is Done.
	XTXN(t *Thread) (reply uint64, o Outcome)
}

// An Outcome is what a handler makes of an XTXN.
type Outcome uint8

// Outcomes.
const (
	Done    Outcome = iota // it has been served; the thread goes on
	Suspend                // Run returns Waits; the owner will call Resume
	Kill                   // Run returns Killed; the handler knows why
)

// Start makes a thread ready: everything in it is cleared, and it will run from
// an instruction for at most limit instructions. An instruction that does not
// exist is a fault.
func (c *Code) Start(t *Thread, entry int, limit uint64) {
	data := t.reads.data
	*t = Thread{code: c, limit: limit}
	t.reads.data = data
	c.enter(t, entry)
}

// StartLike is Start of a thread that has the registers, the LMEM and the limit of another one, which was started and has
// not run.
func (c *Code) StartLike(t, like *Thread, entry int) {
	data := t.reads.data
	*t = *like
	t.reads.data = data
	c.enter(t, entry)
}

func (c *Code) enter(t *Thread, entry int) {
	t.pc, t.state, t.fault = int32(entry), ready, NoFault
	if entry < 0 || entry >= len(c.instrs) {
		t.pc, t.state, t.fault = 0, Faults, NoEntry
	}
}

// Run executes instructions until the thread ends or has to wait. Without a
// handler it waits at every XTXN. A thread that has ended, or waits, stays as
// it is.
func (t *Thread) Run(h Handler) Stop {
	if t.state != ready {
		return t.state
	}
	instrs, pc := t.code.instrs, t.pc
	for {
		in := &instrs[pc]
		if in.shortcut != nil && h != nil {
			if next := int32(in.shortcut(t, h)); next != pc {
				pc = next
				continue
			}
		}
		if t.Executed >= t.limit {
			t.pc = pc
			return t.end(OverLimit)
		}
		t.Executed++
		var next int32
		switch {
		case in.flat == nil || t.reads.any:
			next = in.execute(t, pc)
		case in.ahead != nil:
			next = in.ahead(t, in, pc)
		default:
			next = t.runFlat(in, pc)
		}
		if next == toFault {
			t.pc = pc
			return t.end(t.fault)
		}
		if t.issued {
			t.issued = false
			t.pc = next
			if stop := t.serve(h); stop != ready {
				return stop
			}
		}
		if next == toExit {
			t.pc, t.state = toExit, Exits
			return Exits
		}
		pc = next
	}
}

func (t *Thread) end(f Fault) Stop {
	t.fault, t.state = f, Faults
	return Faults
}

// serve hands the pending XTXN to the handler.
func (t *Thread) serve(h Handler) Stop {
	t.Issued[t.Pending.XTXN]++
	t.expect()
	if h == nil {
		t.state = Waits
		return Waits
	}
	reply, o := h.XTXN(t)
	switch o {
	case Done:
		t.replied(reply)
		return ready
	case Suspend:
		t.state = Waits
		return Waits
	}
	t.state = Killed
	return Killed
}

// Resume gives a waiting thread the reply of its pending XTXN, 0 for one that
// has none, so that Run goes on. For a thread that does not wait it does
// nothing.
func (t *Thread) Resume(reply uint64) {
	if t.state != Waits {
		return
	}
	t.replied(reply)
	t.state = ready
	if t.pc == toExit {
		t.state = Exits
	}
}

// execute does one instruction in the order that package isa describes and
// returns the next. After a fault nothing has been done.
func (in *instr) execute(t *Thread, pc int32) int32 {
	if len(in.wires) != 0 {
		in.wire(t)
	}
	if len(in.issues) != 0 {
		in.issue(t)
	}
	next := in.next
	if len(in.branches) != 0 {
		next = in.branch(t)
	}
	if next >= callFlag {
		next = t.jump(next, pc)
	}
	switch {
	case len(in.moves) == 0:
	case in.simple == 1:
		in.moves[0].single(t)
	case in.simple == 2:
		pair(&in.moves[0], &in.moves[1], t)
	default:
		in.move(t)
	}
	if t.fault != NoFault {
		return toFault
	}
	return next
}

// wire evaluates the wires.
func (in *instr) wire(t *Thread) {
	for i := range in.wires {
		w := &in.wires[i]
		v := w.field(t)
		if w.eval != nil {
			v = w.eval(t)
		}
		t.file[(wireFile+i)%fileSize] = v
	}
}

// issue prepares the first XTXN whose condition holds.
func (in *instr) issue(t *Thread) {
	for i := range in.issues {
		if x := &in.issues[i]; x.when == nil || x.when.holds(t) {
			x.prepare(t)
			return
		}
	}
}

// branch returns where the first condition that holds leads.
func (in *instr) branch(t *Thread) int32 {
	for i := range in.branches {
		if b := &in.branches[i]; b.when.holds(t) {
			return b.next
		}
	}
	return in.next
}

// single does the one move of an instruction, to a register. Nothing of the
// instruction is lost if that comes before an XTXN is issued, but a fault must
// have left the register as it was.
func (m *move) single(t *Thread) {
	if m.when != nil && !m.when.holds(t) {
		return
	}
	v := m.from.field(t)
	if m.from.eval != nil {
		v = m.from.eval(t)
	}
	if t.fault == NoFault {
		m.to.storeRegister(t, v)
	}
}

// pair does two moves to registers, which have no conditions, likewise.
func pair(a, b *move, t *Thread) {
	x, y := a.from.field(t), b.from.field(t)
	if a.from.eval != nil {
		x = a.from.eval(t)
	}
	if b.from.eval != nil {
		y = b.from.eval(t)
	}
	if t.fault == NoFault {
		a.to.storeRegister(t, x)
		b.to.storeRegister(t, y)
	}
}

// move evaluates all moves before it does the first.
func (in *instr) move(t *Thread) {
	n := 0
	for i := range in.moves {
		m := &in.moves[i]
		if m.when != nil && !m.when.holds(t) {
			continue
		}
		w := &t.writes[n&(isa.MaxMoves-1)]
		w.move, w.at = int32(i), m.to.bit
		if w.value = m.from.field(t); m.from.eval != nil {
			w.value = m.from.eval(t)
		}
		if m.to.base != nil {
			w.at = m.to.resolve(t)
		}
		if t.reads.any && !m.to.register {
			t.use(w.at, m.to.width)
		}
		n++
	}
	if t.fault != NoFault {
		return
	}
	for i := range n {
		w := &t.writes[i&(isa.MaxMoves-1)]
		if to := &in.moves[w.move].to; to.register {
			to.storeRegister(t, w.value)
		} else {
			t.storeBits(w.at, to.width, w.value)
		}
	}
}

// jump follows a call, a return or an exit.
func (t *Thread) jump(next, pc int32) int32 {
	switch {
	case next == toExit:
		return toExit
	case next == toCaller && t.depth == 0:
		t.fail(NoCaller)
	case next == toCaller:
		t.depth--
		return t.stack[t.depth&(isa.CallDepth-1)]
	case t.depth == isa.CallDepth:
		t.fail(CallTooDeep)
	default:
		t.stack[t.depth&(isa.CallDepth-1)] = pc + 1
		t.depth++
		return next & targetMask
	}
	return toFault
}
