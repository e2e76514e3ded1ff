package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A flattener makes a flat instruction.
type flattener struct {
	ops      []flatOp
	free     int  // the next wire that the instruction has not
	failed   bool // it cannot be flat
	mayFault bool // what was emitted may have ended in a fault
	joined   int  // the last operation that a jump leads to
}

func flatConst(v uint64) flatValue { return flatValue{reg: zeroFile, add: v, value: ^uint64(0)} }

// whole returns all of a wire.
func whole(wire uint8) flatValue { return flatValue{reg: wire, value: ^uint64(0)} }

func (v *flatValue) fixed() bool { return v.reg == zeroFile }

// flatten returns the flat form of an instruction whose closures are compiled; nil: it has none.
func flatten(in *isa.Instruction, out *instr) []flatOp {
	f := flattener{free: wireFile + len(in.Wires), joined: -1}
	for i, w := range in.Wires {
		f.put(w, flatOp{to: uint8(wireFile + i), mask: ^uint64(0)})
	}
	f.issues(in, out)
	f.branches(in)
	f.moves(in.Moves)
	if f.failed {
		return nil
	}
	return pathsOf(f.ops, out.next)
}

func (f *flattener) emit(o flatOp) { f.ops = append(f.ops, o) }

// with returns an operation of one value, or of two.
func with(o flatOp, x flatValue) flatOp {
	o.flatValue = x
	return o
}

func withBoth(o flatOp, x, y flatValue) flatOp {
	o.flatValue, o.y = x, y
	return o
}

// here lets jumps lead to the next operation.
func (f *flattener) here(jumps []int) {
	for _, j := range jumps {
		if o := &f.ops[j]; o.kind == flatNext {
			o.width = int32(len(f.ops))
		} else {
			o.at = int32(len(f.ops))
		}
	}
	if len(jumps) > 0 {
		f.joined = len(f.ops)
	}
}

// temporary returns a wire that is free.
func (f *flattener) temporary() uint8 {
	if f.free == zeroFile {
		f.failed = true
		return wireFile
	}
	f.free++
	return uint8(f.free - 1)
}

// result emits an operation whose result goes to a wire that was free.
func (f *flattener) result(o flatOp) flatValue {
	o.to, o.mask = f.temporary(), ^uint64(0)
	f.emit(o)
	return whole(o.to)
}

// put emits a write of a value to a place that an operation names, with its kind where that is LMEM. The
// last operation writes there itself if the value is its result.
func (f *flattener) put(e isa.Expr, to flatOp) { f.write(f.value(e), to) }

func (f *flattener) write(v flatValue, to flatOp) {
	last := len(f.ops) - 1
	if to.kind == flatMove && last >= 0 && f.joined != len(f.ops) && f.ops[last].kind < flatStore && v.reg == f.ops[last].to &&
		v == whole(v.reg) && int(v.reg) == f.free-1 {
		o := &f.ops[last]
		o.to, o.toShift, o.mask = to.to, to.toShift, to.mask
		f.free--
		return
	}
	f.emit(with(to, v))
}

// issues emits the XTXNs: the first whose condition holds.
func (f *flattener) issues(in *isa.Instruction, out *instr) {
	var end []int
	for i := range in.Issues {
		x := &in.Issues[i]
		var skip []int
		if x.When != nil {
			skip = f.jump(x.When, false)
		}
		f.issue(i, x, &out.issues[i])
		if x.When == nil {
			break
		}
		end = append(end, f.leap()...)
		f.here(skip)
	}
	f.here(end)
}

// issue emits an XTXN whose constant arguments are in its request.
func (f *flattener) issue(number int, x *isa.Issue, out *issue) {
	values := make([]flatValue, len(out.args))
	for i, a := range out.args {
		values[i] = f.value(x.Args[a.index])
	}
	f.emit(flatOp{kind: flatIssue, at: int32(number)})
	for i, a := range out.args {
		f.emit(with(flatOp{kind: flatArg, to: a.index}, values[i]))
	}
	f.failed = f.failed || out.reply != nil && out.reply.base != nil // a closure finds the place, maybe by wires
	f.mayFault = f.mayFault || out.buffer != nil
}

// branches emits the choice of the next instruction.
func (f *flattener) branches(in *isa.Instruction) {
	var end []int
	calls := false
	for _, b := range in.Next {
		next := compileJump(b)
		calls = calls || next >= callFlag
		if b.When == nil {
			break // it is where the instruction leads by itself
		}
		skip := f.jump(b.When, false)
		f.emit(flatOp{kind: flatNext, at: next})
		end = append(end, len(f.ops)-1)
		f.here(skip)
	}
	f.here(end)
	if calls {
		f.emit(flatOp{kind: flatCall})
	}
}

// moves emits the moves: all are evaluated before the first is done, unless that makes no difference. None is done
// after a fault.
func (f *flattener) moves(list []isa.Move) {
	f.check()
	if len(list) > 1 && meet(list) {
		f.movesTogether(list)
		return
	}
	for i := range list {
		m := &list[i]
		var skip []int
		if m.When != nil {
			skip = f.jump(m.When, false)
		}
		v := f.value(m.From)
		may := f.mayFault
		f.check()
		f.write(v, f.place(m.To))
		f.here(skip)
		if f.mayFault = may && m.When != nil; f.mayFault {
			f.check()
		}
	}
}

// movesTogether evaluates all moves first.
func (f *flattener) movesTogether(list []isa.Move) {
	values := make([]flatValue, len(list))
	for i := range list {
		f.failed = f.failed || list[i].When != nil
		if values[i] = f.value(list[i].From); values[i].reg < wireFile {
			values[i] = f.result(with(flatOp{}, values[i]))
		}
	}
	f.check()
	for i := range list {
		f.write(values[i], f.place(list[i].To))
	}
}

// check ends the instruction if there has been a fault.
func (f *flattener) check() {
	if f.mayFault {
		f.emit(flatOp{kind: flatCheck})
	}
	f.mayFault = false
}

// place returns an operation that writes to a place.
func (f *flattener) place(p isa.Place) flatOp {
	switch to := placeOf(p); {
	case to.base != nil:
		f.failed = true
		return flatOp{}
	case to.register:
		return flatOp{to: to.num, toShift: to.shift, mask: to.mask}
	case !narrow(to.bit, to.width):
		return flatOp{kind: flatStoreBit, at: to.bit, width: to.width}
	default:
		start, shift := window(to.bit, to.width)
		return flatOp{kind: flatStore, at: int32(start), toShift: shift, mask: to.mask}
	}
}

// meet reports whether a move may read what one before it writes, or end in a fault.
func meet(list []isa.Move) bool {
	var written touched
	for i := range list {
		var read touched
		read.add(list[i].When)
		read.add(list[i].From)
		if read.at || read.registers&written.registers != 0 || read.lmem && written.lmem {
			return true
		}
		written.add(list[i].To)
	}
	return false
}

// touched is what an expression reads, or a place is in.
type touched struct {
	registers uint32 // by bit
	lmem, at  bool   // of it, at a place that is not fixed
}

func (t *touched) add(e isa.Expr) {
	switch e := e.(type) {
	case isa.Reg:
		t.registers |= 1 << (e.Num % isa.Registers)
	case isa.LMEM:
		t.lmem = true
		if e.Base != nil {
			t.at = true
			t.add(e.Base)
		}
	case isa.Unary:
		t.add(e.X)
	case isa.Binary:
		t.add(e.X)
		t.add(e.Y)
	case isa.Select:
		t.add(e.If)
		t.add(e.Then)
		t.add(e.Else)
	case isa.Pair:
		t.add(e.Hi)
		t.add(e.Lo)
	}
}
