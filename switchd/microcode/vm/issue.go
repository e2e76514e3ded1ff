package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// An issue sends an XTXN.
type issue struct {
	when    test
	request Request // with the arguments that are constants
	args    []argument
	check   bool // the LMEM buffer is known only to the thread
	addr    int  // which argument is where it starts
	length  int  // which argument is its length
	bounds  isa.Length
	reply   *place
}

// An argument is one that the thread evaluates.
type argument struct {
	index uint8 // among the arguments of the XTXN
	value operand
}

func compileIssue(i *isa.Issue, at int32) issue {
	spec, _ := i.XTXN.Spec() // Validate has seen that there is one
	out := issue{when: compileTest(i.When)}
	out.request = Request{XTXN: i.XTXN, Async: i.Async, Instr: at}
	known := [isa.MaxArgs]bool{}
	for n, a := range i.Args {
		value := compileOperand(a)
		if c, fixed := value.fixed(); fixed {
			out.request.Args[n], known[n] = c, true
			continue
		}
		out.args = append(out.args, argument{uint8(n), value})
	}
	out.bounds = spec.Length
	if addr, length, ok := spec.Buffer(); ok {
		out.addr, out.length = addr, length
		out.check = !known[addr] || !known[length] || !out.request.locate(addr, length, spec.Length)
	}
	if i.Reply != nil {
		p := placeOf(i.Reply)
		out.reply = &p
	}
	return out
}

// prepare fills the thread's request. A bad buffer is a fault.
func (i *issue) prepare(t *Thread) {
	r := &t.Pending
	*r = i.request
	for n := range i.args {
		a := &i.args[n]
		v := a.value.field(t)
		if a.value.eval != nil {
			v = a.value.eval(t)
		}
		r.Args[a.index%isa.MaxArgs] = v
	}
	if i.check {
		i.locate(t)
	}
	if t.reply = i.reply; i.reply != nil {
		t.replyAt = i.reply.resolve(t)
	}
	t.issued = true
}

// locate finds the LMEM buffer of the thread's request, or says why there is none.
func (i *issue) locate(t *Thread) {
	switch {
	case t.Pending.locate(i.addr, i.length, i.bounds):
	case !i.bounds.Fits(t.Pending.Args[i.length%isa.MaxArgs]):
		t.fail(BadLength)
	default:
		t.fail(BadBuffer)
	}
}

// locate sets where the buffer is from two of the arguments; false if that is
// not within LMEM.
func (r *Request) locate(addr, length int, bounds isa.Length) bool {
	at, n := r.Args[addr%isa.MaxArgs], r.Args[length%isa.MaxArgs]
	if !bounds.Fits(n) || at > isa.LMEMBytes-n { // n is at most 256
		return false
	}
	r.LMEM, r.Len = int32(at), int32(n)
	return true
}
