package idiom

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// Attach lets handlers that are Streamers do the loops of a program's code, and returns the
// instructions at which those start.
func Attach(c *vm.Code, p *isa.Program) (heads []int) {
	for i := range p.Instructions {
		if l := loopAt(p, i); l != nil {
			c.SetShortcut(i, l.run)
			heads = append(heads, i)
		}
	}
	return heads
}

// maxLoop is the longest loop that is looked at, in instructions: six read 256
// bytes in four XTXNs, wait, and write them (trio §4, Fig 10).
const maxLoop = 8

// A loop is instructions that follow each other, of which the last goes back to
// the first while a condition holds. All else that they do is to issue XTXNs and
// to add constants to registers, so that a stream describes them.
type loop struct {
	shape         Stream // Kind, LMEM and Len
	paddr, offset term   // at the beginning of an iteration
	length        uint64 // instructions
	issued        []isa.XTXN
	steps         []step
	while         []guard // hold in every iteration that is part of a stream
}

// A guard is a comparison of which only x changes: it comes nearer to y by a
// constant in each iteration.
type guard struct {
	op    isa.Op
	x, y  term
	falls bool // x becomes less
	by    uint64
}

// A transfer is an XTXN of a loop that moves data.
type transfer struct {
	xtxn isa.XTXN
	at   term // its first argument: address or offset
	lmem uint64
	len  uint64
}

// A loopReader follows one iteration.
type loopReader struct {
	loop
	transfers []transfer
}

// loopAt returns the loop whose first instruction is head; nil if there is none
// that is a stream.
func loopAt(p *isa.Program, head int) *loop {
	for last := head; last < min(head+maxLoop, len(p.Instructions)); last++ {
		next := p.Instructions[last].Next
		if len(next) > 1 && next[0].Jump == isa.Goto && next[0].Target == head {
			return readLoop(p.Instructions[head:last+1], next[0].When)
		}
		if len(next) != 1 || next[0].When != nil || next[0].Jump != isa.Goto || next[0].Target != last+1 {
			return nil
		}
	}
	return nil
}

func readLoop(body []isa.Instruction, again isa.Expr) *loop {
	r := loopReader{loop: loop{length: uint64(len(body))}}
	for i := range body {
		in := &body[i]
		if len(in.Wires) != 0 || len(in.Issues) > 1 {
			return nil
		}
		for j := range in.Issues {
			if !r.issue(&in.Issues[j]) {
				return nil
			}
		}
		if i == len(body)-1 && !r.guard(again, false) {
			return nil
		}
		if !r.moves(in.Moves) {
			return nil
		}
	}
	if !r.finish() || !r.classify() {
		return nil
	}
	return &r.loop
}

// issue takes an XTXN; false if it cannot be part of a stream.
func (r *loopReader) issue(i *isa.Issue) bool {
	if i.When != nil || i.Reply != nil {
		return false
	}
	r.issued = append(r.issued, i.XTXN)
	switch i.XTXN {
	case isa.XtxnWait:
		return true
	case isa.TailRead, isa.TailWrite, isa.MemRead, isa.MemWrite, isa.MemAdd32:
	default:
		return false
	}
	at, ok := r.term(i.Args[0])
	lmem, fixed := constantOf(i.Args[1])
	n, bounded := r.bytes(i.Args[2])
	spec, _ := i.XTXN.Spec()
	if !ok || !fixed || !bounded || !spec.Length.Fits(n) || lmem > isa.LMEMBytes-n {
		return false
	}
	r.transfers = append(r.transfers, transfer{i.XTXN, at, lmem, n})
	return true
}

// bytes returns the bytes that an XTXN moves in every iteration: a constant, or
// the constant of "condition ? constant : other", which only the last iterations
// do otherwise.
func (r *loopReader) bytes(e isa.Expr) (uint64, bool) {
	s, ok := e.(isa.Select)
	if !ok {
		return constantOf(e)
	}
	if n, ok := constantOf(s.Then); ok {
		return n, r.guard(s.If, false)
	}
	n, ok := constantOf(s.Else)
	return n, ok && r.guard(s.If, true)
}

// term returns what a field of a register, plus a constant, is at this point of
// an iteration, as a term that is evaluated at its beginning.
func (r *loopReader) term(e isa.Expr) (term, bool) {
	o, ok := termOf(e)
	if s := r.stepOf(&o); ok && s != nil {
		o.add += s.add
	}
	return o, ok
}

// stepOf returns what has been added to the field that a term reads, nil for nothing.
func (r *loopReader) stepOf(o *term) *step {
	for i := range r.steps {
		if s := &r.steps[i]; s.sameField(o) {
			return s
		}
	}
	return nil
}

// moves takes the moves of an instruction: all must add a constant to a field.
func (r *loopReader) moves(list []isa.Move) bool {
	for _, m := range list {
		to, ok := m.To.(isa.Reg)
		from, also := termOf(m.From)
		field, _ := termOf(to)
		if !ok || !also || m.When != nil || field.mask != wrap || field.shift%isa.FieldBits != 0 || from.mask != wrap ||
			!from.sameField(&field) {
			return false
		}
		s := r.stepOf(&field)
		if s == nil {
			r.steps = append(r.steps, step{field})
			s = &r.steps[len(r.steps)-1]
		}
		s.add = (s.add + from.add) & wrap
	}
	return true
}

// guard takes a condition that has to hold, or not to hold.
func (r *loopReader) guard(e isa.Expr, not bool) bool {
	c, ok := e.(isa.Binary)
	if !ok || c.Op < isa.NotEqual || c.Op > isa.GreaterEqual {
		return false
	}
	g := guard{op: c.Op}
	if not {
		g.op = negated[g.op]
	}
	var plain [2]bool
	g.x, plain[0] = r.term(c.X)
	g.y, plain[1] = r.term(c.Y)
	r.while = append(r.while, g)
	return plain[0] && plain[1]
}

// negated and mirrored are comparisons that hold if another does not, and if it
// does with its operands exchanged.
var (
	negated = [isa.GreaterEqual + 1]isa.Op{isa.Less: isa.GreaterEqual, isa.LessEqual: isa.Greater,
		isa.Greater: isa.LessEqual, isa.GreaterEqual: isa.Less}
	mirrored = [isa.GreaterEqual + 1]isa.Op{isa.NotEqual: isa.NotEqual, isa.Less: isa.Greater,
		isa.LessEqual: isa.GreaterEqual, isa.Greater: isa.Less, isa.GreaterEqual: isa.LessEqual}
)

// finish decides, now that all steps are known, how each guard changes; false if
// one of them changes in a way that a guard does not describe.
func (r *loopReader) finish() bool {
	for i := range r.while {
		g := &r.while[i]
		x, plain := r.stride(&g.x)
		y, same := r.stride(&g.y)
		if y != 0 {
			g.op, g.x, g.y, x, y = mirrored[g.op], g.y, g.x, y, x
		}
		if !plain || !same || x == 0 || y != 0 {
			return false
		}
		g.by, g.falls = x, x > wrap/2
		if g.falls {
			g.by = -x & wrap
		}
		switch g.op {
		case isa.NotEqual:
		case isa.Less, isa.LessEqual:
			if g.falls {
				return false
			}
		case isa.Greater, isa.GreaterEqual:
			if !g.falls {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// stride returns what an iteration adds to a term; false if it changes in
// another way, being a part of what steps.
func (r *loopReader) stride(o *term) (uint64, bool) {
	var by uint64
	for i := range r.steps {
		s := &r.steps[i]
		switch {
		case s.reg != o.reg:
		case s.shift == o.shift && o.mask == wrap:
			by = s.add
		case (o.mask<<o.shift)&(s.mask<<s.shift) != 0:
			return 0, false
		}
	}
	return by, true
}

// classify finds the kind of stream that the transfers are; false for none.
func (r *loopReader) classify() bool {
	t, n := r.transfers, len(r.transfers)
	switch {
	case n == 1 && t[0].xtxn == isa.MemWrite:
		r.paddr, r.shape = t[0].at, t[0].stream(LMEMToMemory)
	case n == 2 && t[0].xtxn == isa.TailRead && t[1].xtxn == isa.MemAdd32:
		r.offset, r.paddr, r.shape = t[0].at, t[1].at, t[0].stream(TailToSums)
		if t[1].lmem != t[0].lmem || t[1].len != t[0].len {
			return false
		}
	case n >= 2 && t[n-1].xtxn == isa.TailWrite:
		r.paddr, r.offset, r.shape = t[0].at, t[n-1].at, t[n-1].stream(SumsToTail)
		if !fills(t[:n-1], &t[n-1]) {
			return false
		}
	default:
		return false
	}
	words, plain := r.stride(&r.paddr)
	bytes, same := r.stride(&r.offset)
	return plain && same && words != 0 && words*isa.WordBytes == uint64(r.shape.Len) &&
		(r.shape.Kind == LMEMToMemory || bytes == uint64(r.shape.Len))
}

func (t *transfer) stream(k StreamKind) Stream {
	return Stream{Kind: k, LMEM: int32(t.lmem), Len: int32(t.len)}
}

// fills reports whether MemReads, from addresses that follow each other, fill the
// buffer of a TailWrite from its first byte to its last.
func fills(reads []transfer, write *transfer) bool {
	at, end := reads[0].at, write.lmem
	for i := range reads {
		t := &reads[i]
		same := t.at.sameField(&at) && t.at.mask == at.mask && (t.at.add-at.add)&wrap == 0
		if t.xtxn != isa.MemRead || !same || t.lmem != end {
			return false
		}
		end += t.len
		at.add += t.len / isa.WordBytes
	}
	return end == write.lmem+write.len
}
