package tracetree

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// step is one thing to do on a path through a control, or a guard. A pass is fast as long as its
// steps stay in a processor's first cache: two are one of its lines. Fields are those of headers
// that are valid.
type step struct {
	op    stepOp
	shift uint8    // of a field in the eight bytes from its first one on
	a     int16    // slot, or header of a field
	dst   int32    // slot, number of a field, header or table, or place in a list of the tree
	to    [2]int32 // of a guard: next step by the answer, 0: not recorded yet; else to[0] is the first byte of a field, or its number
	x, y  uint64
}

type stepOp uint8

const (
	stepConst     stepOp = iota // slot dst = x, slot a = y
	stepMove                    // slot dst = slot a under x
	stepLoad                    // slot dst = field and x, or y
	guardSlot                   // slot a under x is y?
	guardField                  // field, of header a, first byte dst, under x is y?
	guardWide                   // field dst under x is y?
	guardCond                   // condition dst holds?
	guardRow                    // which row of table dst?
	stepPut8                    // field = x where y has bits
	stepPut16                   // likewise
	stepPut32                   // field = x
	stepStore                   // field dst = x
	stepStoreSlot               // field dst = slot a
	stepCopy                    // field dst = field to[0]
	stepFetch                   // slot dst = field to[0], or that and y, under x
	stepAdd                     // slot dst = field to[0] + y under x
	stepValidate                // header dst
	stepRemove                  // header dst
	stepAccess                  // access dst
	stepCompute                 // computation dst
	stepAction                  // action dst
	stepVector                  // vector dst
	stepCount                   // row dst
	stepArgs                    // arguments dst
	stepApply                   // table dst
	stepRest                    // the rest of the control, from instruction dst on
	stepEnd                     // the control is over: leaf dst
)

// Run takes the packet of a pass through the control of a side.
func (r *Runner) Run(s *vm.Pass, side fit.Side) {
	t := &r.trees[side]
	for pc := r.root(s, side); ; {
		st := &t.steps[pc]
		switch pc++; st.op {
		case stepConst:
			s.Slots[st.dst], s.Slots[st.a] = st.x, st.y
		case stepMove:
			s.Slots[st.dst] = s.Slots[st.a] & st.x
		case stepLoad:
			s.Slots[st.dst] = binary.BigEndian.Uint64(s.Bytes(int(st.a), int(st.to[0])))>>(st.shift&63)&st.x | st.y
		case guardSlot:
			if s.Slots[st.a]&st.x == st.y {
				goto yes
			}
			goto no
		case guardField:
			if binary.BigEndian.Uint64(s.Bytes(int(st.a), int(st.dst)))&st.x == st.y {
				goto yes
			}
			goto no
		case guardWide, guardCond:
			pc = r.ask(s, side, pc-1, st)
		case guardRow:
			pc = r.choose(s, side, pc-1, &t.tables[st.dst])
		case stepPut8:
			b := s.Bytes(int(st.a), int(st.to[0]))
			b[0] = b[0]&^uint8(st.y) | uint8(st.x)
		case stepPut16:
			b := s.Bytes(int(st.a), int(st.to[0]))
			binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^uint16(st.y)|uint16(st.x))
		case stepPut32:
			binary.BigEndian.PutUint32(s.Bytes(int(st.a), int(st.to[0])), uint32(st.x))
		case stepAccess:
			t.accesses[st.dst].do(s)
		case stepStoreSlot:
			s.Put(r.ref(st.dst), s.Slots[st.a])
		case stepRemove:
			s.Invalidate(fit.HeaderID(st.dst))
		case stepCompute:
			s.Put(t.computes[st.dst].to, t.computes[st.dst].value(s))
		case stepVector:
			t.vectors[st.dst].executeAll(r, s)
		case stepEnd:
			s.SetFacts(t.leaves[st.dst].facts, t.leaves[st.dst].verdict)
			return
		case stepRest:
			s.RunFrom(side, int(st.dst))
			return
		default:
			r.step(s, t, st)
		}
		continue
		// Each answer has a jump of its own, so that a processor can predict it without
		// waiting for the value.
	yes:
		if next := st.to[1]; next > 0 {
			pc = next
		} else {
			pc = r.record(s, side, pc-1, 1)
		}
		continue
	no:
		if next := st.to[0]; next > 0 {
			pc = next
		} else {
			pc = r.record(s, side, pc-1, 0)
		}
	}
}

// ask returns the step that follows a guard that takes more than a comparison.
func (r *Runner) ask(s *vm.Pass, side fit.Side, at int32, st *step) int32 {
	holds, answer := false, 0
	if st.op == guardCond {
		holds = r.trees[side].conds[st.dst].Holds(s)
	} else {
		holds = s.Get(r.ref(st.dst))&st.x == st.y
	}
	if holds {
		answer = 1
	}
	if next := st.to[answer]; next > 0 {
		return next
	}
	return r.record(s, side, at, answer)
}

// access is an access to a register.
type access struct {
	*vm.Access
	to *vm.Ref // where its output goes; nil: nowhere
}

func (a *access) do(s *vm.Pass) {
	v := a.Output(s)
	switch {
	case a.to == nil:
	case a.to.InSlot():
		s.Slots[a.to.Off] = v & a.to.Mask
	default:
		s.Put(a.to, v)
	}
}

// compute is an operation of which no more is known than where its value goes.
type compute struct {
	value func(*vm.Pass) uint64
	to    *vm.Ref
}

// step does what is no guard and comes up less often.
func (r *Runner) step(s *vm.Pass, t *tree, st *step) {
	switch st.op {
	case stepStore:
		s.Put(r.ref(st.dst), st.x)
	case stepCopy:
		s.Put(r.ref(st.dst), s.Get(r.ref(st.to[0])))
	case stepFetch:
		s.Slots[st.dst] = (s.Get(r.ref(st.to[0])) | st.y) & st.x
	case stepAdd:
		s.Slots[st.dst] = (s.Get(r.ref(st.to[0])) + st.y) & st.x
	case stepValidate:
		s.Validate(fit.HeaderID(st.dst))
	case stepAction:
		s.Do(t.actions[st.dst].action, t.actions[st.dst].args)
	case stepCount:
		t.rows[st.dst].Count(s)
	case stepArgs:
		s.SetArgs(t.args[st.dst])
	case stepApply:
		r.apply(s, fit.TableID(st.dst))
	}
}

func (r *Runner) ref(id int32) *vm.Ref { return r.code.Ref(fit.FieldID(id)) }

// choose returns the step that follows a lookup.
func (r *Runner) choose(s *vm.Pass, side fit.Side, at int32, c *choice) int32 {
	i := int32(c.table.Match(s).Place)
	if i == c.last {
		return c.next
	}
	next := c.to[i]
	if next == 0 {
		next = r.record(s, side, at, int(i))
		t := &r.trees[side]
		c = &t.tables[t.steps[at].dst]
	}
	c.last, c.next = i, next
	return next
}

// apply applies a table as a pass does, but all copies at once where there is a vector.
func (r *Runner) apply(s *vm.Pass, id fit.TableID) {
	if r.vectors[id] == nil {
		s.Apply(id)
		return
	}
	if k := r.arrays[id]; k != nil {
		r.applyCopies(s, id, k)
		return
	}
	t := r.pipe.Table(id)
	row := t.Match(s)
	if t.Counter {
		row.Count(s)
	}
	r.do(s, id, row, 0, t.Copies)
}

// do does what a row says with some copies of a table, from one to before another.
func (r *Runner) do(s *vm.Pass, id fit.TableID, row *vm.Row, from, to int) {
	if row.Action < 0 {
		return
	}
	if v := r.vectors[id][row.Action]; v != nil {
		s.SetArgs(row.Args)
		v.execute(r, s, from, to)
		return
	}
	for _, a := range r.code.Actions(id, row.Action)[from:to] {
		s.Do(a, row.Args)
	}
}
