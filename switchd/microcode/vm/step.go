package vm

// Step is Run for one instruction, without a handler and without shortcuts: what looks on
// sees each instruction alone. An XTXN makes the thread wait, as in Run. stopped is false
// where the thread has a next instruction, and stop means nothing then. A thread that has
// ended, or waits, stays as it is.
func (t *Thread) Step() (stop Stop, stopped bool) {
	if t.state != ready {
		return t.state, true
	}
	if t.Executed >= t.limit {
		return t.end(OverLimit), true
	}
	t.Executed++
	next := t.code.instrs[t.pc].execute(t, t.pc)
	if next == toFault {
		return t.end(t.fault), true
	}
	t.pc = next
	if t.issued {
		t.issued = false
		return t.serve(nil), true
	}
	if next == toExit {
		t.state = Exits
		return Exits, true
	}
	return ready, false
}
