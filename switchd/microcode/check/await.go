package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var (
	ruleAwait = rule{"what an asynchronous read fills is not used before XtxnWait", "trio §3.1: the thread continues running until the reply is there"}
	ruleIdle  = rule{"an asynchronous XTXN comes before XtxnWait on some way through the program", "assumed: a wait for nothing is a mistake"}
)

// pending is what may be under way when a thread comes to an instruction.
type pending struct {
	any   bool        // an asynchronous XTXN
	reads isa.LMEMSet // bytes that one of them fills
}

// join adds what comes by another way, and reports whether that is more.
func (p *pending) join(o *pending) (more bool) {
	more = o.any && !p.any
	p.any = p.any || o.any
	return p.reads.Join(&o.reads) || more
}

// A passage is what a subroutine does to what is under way: what was before it is still so
// behind it, if there is a way without a wait, and what it has begun itself.
type passage struct {
	through bool
	begun   pending
}

// await follows what may be under way through the program, calls included. Addresses that
// only the thread knows are left to it.
type await struct {
	c        *checker
	passages map[int]*passage
	before   []*pending // what may be under way before each instruction; nil: it is not reached
	todo     []int
}

// awaits checks that reads are waited for. The calls of the program are known to be finite.
func (c *checker) awaits() {
	a := await{c: c, passages: map[int]*passage{}, before: make([]*pending, len(c.prog.Instructions))}
	for _, e := range c.prog.Entries {
		a.reach(e.Target, &pending{})
	}
	for len(a.todo) > 0 {
		at := a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		a.follow(at)
	}
	for at, p := range a.before {
		if p != nil && !c.full() {
			a.judge(at, p)
		}
	}
}

// reach notes that a thread may come to an instruction with so much under way.
func (a *await) reach(at int, p *pending) {
	if a.before[at] == nil {
		a.before[at] = &pending{}
	} else if !a.before[at].join(p) {
		return
	}
	a.before[at].join(p)
	a.todo = append(a.todo, at)
}

func (a *await) follow(at int) {
	in := &a.c.prog.Instructions[at]
	after := *a.before[at]
	after.do(in)
	for _, b := range in.Next {
		switch b.Jump {
		case isa.Goto:
			a.reach(b.Target, &after)
		case isa.Call:
			a.reach(b.Target, &after)
			if p := a.passage(b.Target); p != nil {
				behind := p.begun
				if p.through {
					behind.join(&after)
				}
				a.reach(at+1, &behind)
			}
		}
	}
}

// do is what an instruction does to what is under way, and reports whether it waits.
func (p *pending) do(in *isa.Instruction) (waits bool) {
	for i := range in.Issues {
		x := &in.Issues[i]
		switch {
		case x.XTXN == isa.XtxnWait && x.When == nil:
			*p, waits = pending{}, true
		case x.Async:
			p.any = true
			if at, n, ok := buffer(x); ok && x.XTXN.Fills() {
				p.reads.Add(at, n)
			}
		}
	}
	return waits
}

// buffer returns the LMEM buffer of an XTXN; false where it has none or only the thread
// knows it.
func buffer(x *isa.Issue) (at, n int, ok bool) {
	spec, _ := x.XTXN.Spec()
	addr, length, has := spec.Buffer()
	if !has {
		return 0, 0, false
	}
	a, fixed := x.Args[addr].(isa.Const)
	l, also := x.Args[length].(isa.Const)
	return int(a), int(l), fixed && also && a <= isa.LMEMBytes && l <= isa.LMEMBytes-a
}

// passage returns what a subroutine does, nil if it never returns. It follows each way
// twice at most: with what was under way before, and without.
func (a *await) passage(start int) *passage {
	if p, known := a.passages[start]; known {
		return p
	}
	var out *passage
	seen := map[int]*passage{}
	todo := []int{start}
	seen[start] = &passage{through: true}
	merge := func(at int, p *passage) {
		old := seen[at]
		switch {
		case old == nil:
			kept := *p
			seen[at] = &kept
		case !old.begun.join(&p.begun) && (old.through || !p.through):
			return
		}
		seen[at].through = seen[at].through || p.through
		todo = append(todo, at)
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		in, after := &a.c.prog.Instructions[at], *seen[at]
		if after.begun.do(in) {
			after.through = false
		}
		for _, b := range in.Next {
			switch b.Jump {
			case isa.Goto:
				merge(b.Target, &after)
			case isa.Call:
				if p := a.passage(b.Target); p != nil {
					behind := *p
					if p.through {
						behind.begun.join(&after.begun)
						behind.through = after.through
					}
					merge(at+1, &behind)
				}
			case isa.Return:
				if out == nil {
					out = &passage{}
				}
				out.through = out.through || after.through
				out.begun.join(&after.begun)
			}
		}
	}
	a.passages[start] = out
	return out
}

// judge reports what an instruction does wrong.
func (a *await) judge(at int, before *pending) {
	in := &a.c.prog.Instructions[at]
	pos := syntax.Pos(in.Pos)
	for i := range in.Issues {
		x := &in.Issues[i]
		if x.XTXN == isa.XtxnWait && !before.any {
			a.c.rulef(pos, ruleIdle, "XtxnWait waits for nothing")
			return
		}
		if from, n, ok := buffer(x); ok && before.reads.Has(from, n) {
			a.refuse(in, from, n, before)
			return
		}
	}
	for _, f := range in.LocalFields() {
		if from := int(f.Bit / 8); f.Base == nil && before.reads.Has(from, (int(f.Bit)+int(f.Width)+7)/8-from) {
			a.refuse(in, from, (int(f.Bit)+int(f.Width)+7)/8-from, before)
			return
		}
	}
}

// refuse reports a use of bytes of LMEM, and says which read fills them.
func (a *await) refuse(in *isa.Instruction, from, n int, before *pending) {
	for i := range a.c.prog.Instructions {
		for j := range a.c.prog.Instructions[i].Issues {
			x := &a.c.prog.Instructions[i].Issues[j]
			to, m, ok := buffer(x)
			if ok && x.Async && x.XTXN.Fills() && to < from+n && from < to+m && before.reads.Has(max(to, from), 1) {
				a.c.rulef(syntax.Pos(in.Pos), ruleAwait, "the instruction uses bytes %d to %d of local memory, which the %s at line %d is filling; put XtxnWait(); in between",
					from, from+n-1, x.XTXN, a.c.prog.Instructions[i].Pos.Line)
				return
			}
		}
	}
}
