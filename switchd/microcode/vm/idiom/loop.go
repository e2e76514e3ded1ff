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

// maxLoop is the longest iteration that is looked at, in instructions that it executes:
// one that reads 64 bytes and adds them by 4 has 17 (trio §4, Fig 10).
const maxLoop = 40

// A loop is instructions that follow each other and at last go back to the first while a
// condition holds. All else that they do is to issue XTXNs, and to add constants to
// registers or set them, so that a stream describes them. A loop within it takes
// the same turns in every iteration.
type loop struct {
	shape  Stream // Kind, LMEM and Len
	sums   place  // in shared memory, at the beginning of an iteration
	offset term   // in a tail, likewise
	lmem   term   // the buffer, where it moves
	length uint64 // instructions
	unit   uint64 // bytes of an add, of a loop that is Adds; else 0
	step   uint64 // of the place in shared memory, by an iteration
	issued []tally
	steps  []step
	while  []guard // hold in every iteration that another one follows
	head   int     // the first instruction
	exit   int     // where a thread goes when one of them does not hold; none: the last iteration is another
}

// none is the exit of a loop whose last iteration does otherwise than those before, or leads to
// various places.
const none = -1

// A tally is how many XTXNs of a kind an iteration issues.
type tally struct {
	xtxn isa.XTXN
	n    uint64
}

// A place is where a loop is in shared memory: so many bytes, plus units of as many as the
// term says.
type place struct {
	term
	unit, plus uint64
}

// bytes returns the place of a thread, in bytes.
func (p *place) bytes(t *vm.Thread) uint64 { return p.value(t)*p.unit + p.plus }

// from returns how many bytes a place is behind another, if that is the same in every
// iteration.
func (p *place) from(o *place) (uint64, bool) {
	return ((p.add-o.add)&wrap)*p.unit + p.plus - o.plus, p.half == o.half && p.unit == o.unit
}

// A transfer is an XTXN of a loop that moves data.
type transfer struct {
	xtxn   isa.XTXN
	offset term // of a tail
	place  place
	lmem   term
	len    uint64
	async  bool
}

// A loopReader follows one iteration.
type loopReader struct {
	loop
	state
	transfers []transfer
	loose     bool // an asynchronous read is not waited for yet
}

// loopAt returns the loop whose first instruction is head; nil if there is none
// that is a stream.
func loopAt(p *isa.Program, head int) *loop {
	r := loopReader{loop: loop{head: head}}
	for at := head; r.length < maxLoop && at < len(p.Instructions); {
		r.length++
		next, ok := r.instruction(&p.Instructions[at], head)
		if !ok {
			return nil
		}
		if next == head {
			if r.loose || !r.finish() || !r.classify() {
				return nil
			}
			r.loop.steps, r.loop.unit = r.state.steps, r.addsOf()
			r.loop.step = uint64(r.shape.Len) / r.sums.unit
			return &r.loop
		}
		at = next
	}
	return nil
}

// instruction follows one, and returns where the iteration goes on: at head if it is
// at its end; false if it cannot be part of a stream.
func (r *loopReader) instruction(in *isa.Instruction, head int) (next int, ok bool) {
	if len(in.Wires) != 0 {
		return 0, false
	}
	for i := range in.Issues {
		sent, known := r.decide(in.Issues[i].When)
		if !known || sent && !r.issue(&in.Issues[i]) {
			return 0, false
		}
		if sent {
			break
		}
	}
	next, ok = r.branch(in.Next, head)
	return next, ok && r.moves(in.Moves)
}

// branch returns the next instruction. The first branch that is open has to lead to the
// head: there another iteration begins.
func (r *loopReader) branch(list []isa.Branch, head int) (next int, ok bool) {
	for i, b := range list {
		taken, known := r.decide(b.When)
		switch {
		case known && !taken:
			continue
		case b.Jump != isa.Goto || known == (b.Target == head): // a loop without a condition has no end
			return 0, false
		case known:
			return b.Target, true
		}
		if r.exit = exitOf(list[i+1:]); len(r.while) > 0 {
			r.exit = none
		}
		return head, r.guard(b.When, false)
	}
	return 0, false
}

// exitOf returns where branches lead, if that is an instruction whatever else holds.
func exitOf(list []isa.Branch) int {
	if len(list) > 0 && list[0].When == nil && list[0].Jump == isa.Goto {
		return list[0].Target
	}
	return none
}

// issue takes an XTXN; false if it cannot be part of a stream.
func (r *loopReader) issue(i *isa.Issue) bool {
	if i.Reply != nil {
		return false
	}
	r.tally(i.XTXN)
	switch i.XTXN {
	case isa.XtxnWait:
		r.loose = false
		return true
	case isa.TailRead, isa.TailWrite, isa.MemRead, isa.MemWrite, isa.MemAdd32:
	default:
		return false
	}
	spec, _ := i.XTXN.Spec()
	addr, length, _ := spec.Buffer()
	x := transfer{xtxn: i.XTXN, async: i.Async}
	n, bounded := r.bytes(i.Args[length])
	at, ok := r.term(i.Args[0])
	lmem, also := r.term(i.Args[addr])
	if x.len, x.lmem = n, lmem; !ok || !also || !bounded || !spec.Length.Fits(n) || !x.within() {
		return false
	}
	if i.XTXN.Fills() {
		r.loose = r.loose || i.Async
	} else if r.loose {
		return false
	}
	switch i.XTXN {
	case isa.TailRead, isa.TailWrite:
		x.offset = at
	case isa.MemAdd32:
		if x.place, ok = r.halves(at, i.Args[1]); !ok {
			return false
		}
	default:
		x.place = place{term: at, unit: isa.WordBytes}
	}
	r.transfers = append(r.transfers, x)
	return true
}

func (r *loopReader) tally(x isa.XTXN) {
	for i := range r.issued {
		if r.issued[i].xtxn == x {
			r.issued[i].n++
			return
		}
	}
	r.issued = append(r.issued, tally{x, 1})
}

// within reports whether a buffer that is known is within LMEM.
func (x *transfer) within() bool {
	at, fixed := x.lmem.fixed()
	return !fixed || at <= isa.LMEMBytes-x.len
}

// halves returns the place of an add: a word and a half that is always the same, or the
// bits of a counter of halves.
func (r *loopReader) halves(word term, half isa.Expr) (place, bool) {
	h, ok := r.term(half)
	if n, fixed := h.fixed(); fixed {
		return place{word, isa.WordBytes, 4 * n}, ok && n <= 1
	}
	counter := h.half == word.half && h.add == word.add && h.skip == 0 && h.mask == 1 && word.skip == 1 && word.mask == wrap>>1
	word.skip, word.mask = 0, wrap
	return place{word, isa.WordBytes / 2, 0}, ok && counter
}

// bytes returns the bytes that an XTXN moves in every iteration: a constant, or
// the constant of "condition ? constant : other", which only the last iterations
// do otherwise.
func (r *loopReader) bytes(e isa.Expr) (uint64, bool) {
	s, ok := e.(isa.Select)
	if !ok {
		return r.constant(e)
	}
	if n, ok := r.constant(s.Then); ok {
		return n, r.guard(s.If, false)
	}
	n, ok := r.constant(s.Else)
	return n, ok && r.guard(s.If, true)
}

// moves takes the moves of an instruction: each must add a constant to a half of a
// register, or set it.
func (r *loopReader) moves(list []isa.Move) bool {
	var out []step
	for _, m := range list {
		to, ok := m.To.(isa.Reg)
		if !ok || m.When != nil || to.Width != isa.FieldBits || to.Bit%isa.FieldBits != 0 {
			return false
		}
		s := step{half: half{int(to.Num), isa.FieldBits - to.Bit}}
		from, ok := r.term(m.From)
		if s.value, s.sets = from.fixed(); !ok || !s.sets && (from.half != s.half || !from.whole()) {
			return false
		}
		if s.sets {
			s.value &= wrap
		}
		out = append(out, s)
	}
	for _, s := range out {
		r.put(s)
	}
	return true
}
