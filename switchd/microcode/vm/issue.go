package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// An issue sends an XTXN.
type issue struct {
	when    *test   // nil: always
	request Request // with the arguments that are constants
	args    []argument
	buffer  *buffer // nil: none, or it is in the request
	reply   *place
}

// A buffer is one in LMEM that is known only to the thread.
type buffer struct {
	addr   int // which argument is where it starts
	length int // which argument is its length
	bounds isa.Length
}

// An argument is one that the thread evaluates.
type argument struct {
	index uint8 // among the arguments of the XTXN
	value operand
}

func compileIssue(p *isa.Program, i *isa.Issue, at int32) issue {
	spec, _ := i.XTXN.Spec() // Validate has seen that there is one
	out := issue{when: compileGuard(i.When)}
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
	if addr, length, ok := spec.Buffer(); ok {
		b := buffer{addr, length, p.LengthOf(i.XTXN)}
		if !known[addr] || !known[length] || !out.request.locate(&b) {
			out.buffer = &b
		}
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
	i.finish(t)
}

// finish is what follows once the arguments are there.
func (i *issue) finish(t *Thread) {
	if i.buffer != nil {
		i.buffer.locate(t)
	}
	if t.reply = i.reply; i.reply != nil {
		t.replyAt = i.reply.bit
		if i.reply.base != nil {
			t.replyAt = i.reply.resolve(t)
		}
	}
	if t.reads.any {
		i.await(t)
	}
	t.issued = true
}

// await ends the thread if its request needs LMEM that an asynchronous read is filling: two
// of them into one place are in no order.
func (i *issue) await(t *Thread) {
	if r := &t.Pending; t.Awaits(int(r.LMEM), int(r.Len)) {
		t.fail(NotAwaited)
	}
	if i.reply != nil && !i.reply.register {
		t.use(t.replyAt, i.reply.width)
	}
}

// locate finds the LMEM buffer of the thread's request, or says why there is none.
func (b *buffer) locate(t *Thread) {
	switch {
	case t.Pending.locate(b):
	case !b.bounds.Fits(t.Pending.Args[b.length%isa.MaxArgs]):
		t.fail(BadLength)
	default:
		t.fail(BadBuffer)
	}
}

// locate sets where the buffer is from two of the arguments; false if that is
// not within LMEM.
func (r *Request) locate(b *buffer) bool {
	at, n := r.Args[b.addr%isa.MaxArgs], r.Args[b.length%isa.MaxArgs]
	if !b.bounds.Fits(n) || at > isa.LMEMBytes-n { // n is at most 256
		return false
	}
	r.LMEM, r.Len = int32(at), int32(n)
	return true
}
