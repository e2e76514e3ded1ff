package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// A reference is a thread that works on single bits and follows the comment of
// package isa word by word. It is the oracle of the compiled form.
type reference struct {
	program  *isa.Program
	regs     [isa.Registers * isa.RegisterBits]bool
	lmem     [isa.LMEMBits]bool
	wires    []uint64
	pc       int
	calls    []int
	executed uint64
	issued   [isa.NumXTXN]uint64
	requests []Request
	serve    func(r Request, buffer []byte) uint64
	awaited  map[int]byte // by byte of LMEM: what asynchronous reads will bring
}

// A bitPlace is a resolved field: its bits, most significant first.
type bitPlace []*bool

// run executes to the end and returns how it came. Faults travel as panics.
func (m *reference) run(limit uint64) (stop Stop, fault Fault) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Fault:
			stop, fault = Faults, r
		default:
			panic(r)
		}
	}()
	for {
		if m.executed == limit {
			panic(OverLimit)
		}
		m.executed++
		if m.step() {
			return Exits, NoFault
		}
	}
}

// step does one instruction; true if it was the last.
func (m *reference) step() bool {
	in := &m.program.Instructions[m.pc]
	m.wires = nil
	for _, w := range in.Wires {
		m.wires = append(m.wires, m.value(w))
	}
	request, reply, issues := m.request(in)
	next, exit := m.next(in)
	var to []bitPlace
	var from []uint64
	for _, mv := range in.Moves {
		if m.holds(mv.When) {
			from = append(from, m.value(mv.From))
			to = append(to, m.place(mv.To))
		}
	}
	for i := range to {
		to[i].set(from[i])
	}
	if issues {
		m.issue(request, reply)
	}
	m.pc = next
	return exit
}

func (m *reference) request(in *isa.Instruction) (r Request, reply bitPlace, ok bool) {
	for _, x := range in.Issues {
		if !m.holds(x.When) {
			continue
		}
		r = Request{XTXN: x.XTXN, Async: x.Async, Instr: int32(m.pc)}
		spec, _ := x.XTXN.Spec()
		for n, a := range x.Args {
			r.Args[n] = m.value(a)
		}
		m.buffer(spec, &r)
		if x.Reply != nil {
			reply = m.place(x.Reply)
		}
		return r, reply, true
	}
	return r, nil, false
}

func (m *reference) buffer(spec *isa.Spec, r *Request) {
	var at, n uint64
	for i, a := range spec.Args {
		switch a.Kind {
		case isa.ArgLMEM:
			at = r.Args[i]
		case isa.ArgLen:
			n = r.Args[i]
			fits := false
			for l := spec.Length.Min; l <= spec.Length.Max; l += spec.Length.Step {
				fits = fits || n == uint64(l)
			}
			if !fits {
				panic(BadLength)
			}
		}
	}
	if at+n > isa.LMEMBytes {
		panic(BadBuffer)
	}
	if n > 0 {
		r.LMEM, r.Len = int32(at), int32(n)
		m.use(int(at)*8, int(n)*8)
	}
}

// use fails if bits of LMEM are awaited.
func (m *reference) use(bit, width int) {
	for i := bit; i < bit+width; i++ {
		if _, awaited := m.awaited[i/8]; awaited {
			panic(NotAwaited)
		}
	}
}

// issue serves a request with a copy of its buffer, and puts the copy back.
func (m *reference) issue(r Request, reply bitPlace) {
	m.requests = append(m.requests, r)
	m.issued[r.XTXN]++
	all := m.bytes()
	if r.Async && (r.XTXN == isa.MemRead || r.XTXN == isa.TailRead) {
		if m.awaited == nil {
			m.awaited = map[int]byte{}
		}
		later := make([]byte, r.Len)
		m.serve(r, later)
		for i, b := range later {
			m.awaited[int(r.LMEM)+i] = b
		}
		return
	}
	v := m.serve(r, all[r.LMEM:r.LMEM+r.Len])
	m.setBytes(all)
	reply.set(v)
	if r.XTXN == isa.XtxnWait {
		for at, b := range m.awaited {
			pick(m.lmem[:], at*8, 8).set(uint64(b))
		}
		clear(m.awaited)
	}
}

func (m *reference) next(in *isa.Instruction) (pc int, exit bool) {
	for _, b := range in.Next {
		if !m.holds(b.When) {
			continue
		}
		switch b.Jump {
		case isa.Goto:
			return b.Target, false
		case isa.Call:
			if len(m.calls) == isa.CallDepth {
				panic(CallTooDeep)
			}
			m.calls = append(m.calls, m.pc+1)
			return b.Target, false
		case isa.Return:
			if len(m.calls) == 0 {
				panic(NoCaller)
			}
			pc, m.calls = m.calls[len(m.calls)-1], m.calls[:len(m.calls)-1]
			return pc, false
		}
		return 0, true
	}
	panic("no branch")
}

func (m *reference) holds(e isa.Expr) bool { return e == nil || m.value(e) != 0 }

// value evaluates an expression.
func (m *reference) value(e isa.Expr) uint64 {
	switch e := e.(type) {
	case isa.Const:
		return uint64(e)
	case isa.Wire:
		return m.wires[e]
	case isa.Reg:
		return m.place(e).get()
	case isa.LMEM:
		return m.place(e).get()
	case isa.Unary:
		return m.unary(e.Op, m.value(e.X))
	case isa.Binary:
		return m.binary(e)
	case isa.Select:
		if m.holds(e.If) {
			return m.value(e.Then)
		}
		return m.value(e.Else)
	case isa.Pair:
		return m.value(e.Hi)*(1<<32) + m.value(e.Lo)
	}
	panic("unknown expression")
}

func (m *reference) unary(op isa.Op, x uint64) uint64 {
	switch op {
	case isa.Not:
		return uint64(^uint32(x))
	case isa.Negate:
		return uint64(-uint32(x))
	}
	return bit(x == 0)
}

func (m *reference) binary(e isa.Binary) uint64 {
	x := m.value(e.X)
	if e.Op == isa.LogicalAnd && x == 0 {
		return 0
	}
	if e.Op == isa.LogicalOr && x != 0 {
		return 1
	}
	a, b := uint32(x), uint32(m.value(e.Y))
	switch e.Op {
	case isa.Add:
		return uint64(a + b)
	case isa.Sub:
		return uint64(a - b)
	case isa.And:
		return uint64(a & b)
	case isa.Or:
		return uint64(a | b)
	case isa.Xor:
		return uint64(a ^ b)
	case isa.ShiftLeft:
		return uint64(a << b)
	case isa.ShiftRight:
		return uint64(a >> b)
	case isa.Equal:
		return bit(a == b)
	case isa.NotEqual:
		return bit(a != b)
	case isa.Less:
		return bit(a < b)
	case isa.LessEqual:
		return bit(a <= b)
	case isa.Greater:
		return bit(a > b)
	case isa.GreaterEqual:
		return bit(a >= b)
	}
	return bit(b != 0) // what is left of the logical operations
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// place finds the bits of a field.
func (m *reference) place(p isa.Expr) bitPlace {
	switch p := p.(type) {
	case isa.Reg:
		at := int(p.Num)*isa.RegisterBits + int(p.Bit)
		return pick(m.regs[:], at, int(p.Width))
	case isa.LMEM:
		at := int(p.Bit)
		if p.Base != nil {
			at += int(m.value(p.Base)) * 8
		}
		if at < 0 || at+int(p.Width) > isa.LMEMBits {
			panic(BadLMEM)
		}
		m.use(at, int(p.Width))
		return pick(m.lmem[:], at, int(p.Width))
	}
	panic("unknown place")
}

func pick(bits []bool, at, width int) bitPlace {
	out := make(bitPlace, width)
	for i := range out {
		out[i] = &bits[at+i]
	}
	return out
}

func (p bitPlace) get() uint64 {
	var v uint64
	for _, b := range p {
		v = v*2 + bit(*b)
	}
	return v
}

func (p bitPlace) set(v uint64) {
	for i := len(p) - 1; i >= 0; i-- {
		*p[i] = v%2 == 1
		v /= 2
	}
}

func (m *reference) bytes() []byte {
	out := make([]byte, isa.LMEMBytes)
	for i := range out {
		out[i] = byte(pick(m.lmem[:], i*8, 8).get())
	}
	return out
}

func (m *reference) setBytes(all []byte) {
	for i, b := range all {
		pick(m.lmem[:], i*8, 8).set(uint64(b))
	}
}
