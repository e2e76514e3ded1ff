package vm

import "encoding/binary"

// step is one thing to do, or a question, in a way through a control. Ways are many,
// and a pass is as fast as they stay in a processor's first cache: two steps are one of
// its lines. Fields are those of headers that are there.
type step struct {
	op    stepOp
	shift uint8    // of a field in the eight bytes from its first one on
	a     int16    // slot, or header of a field
	dst   int32    // slot, number of a field or header, or where in a list of the tree
	to    [2]int32 // of a question: step to go on with, by the answer, 0: not known yet; else to[0] is the first byte of a field in its header
	x, y  uint64
}

type stepOp uint8

const (
	stepConst     stepOp = iota // slot dst = x, slot a = y
	stepMove                    // slot dst = slot a under x
	stepLoad                    // slot dst = field and x, or y
	stepIsSlot                  // slot a under x is y?
	stepIsField                 // field, of header a, first byte dst, under x is y?
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
	stepStateful                // access dst
	stepVector                  // vector dst
	stepCount                   // row dst
	stepRun                     // instructions from dst to a behind it
	stepTest                    // relation dst holds?
	stepTable                   // which row of table dst?
	stepRest                    // the rest of the control, from instruction dst on, as it is
	stepEnd                     // the control is over
)

// control takes the packet through the control of a side.
func (s *Pass) control(side *side) {
	if s.code.oneByOne || len(s.heads) > maxHeads {
		s.run(side.control)
		return
	}
	t := &s.pipe.trees[side.number]
	for pc := s.root(t, side); ; {
		at, st := pc, &t.steps[pc]
		switch pc++; st.op {
		case stepConst:
			s.slots[st.dst], s.slots[st.a] = st.x, st.y
		case stepMove:
			s.slots[st.dst] = s.slots[st.a] & st.x
		case stepLoad:
			s.slots[st.dst] = binary.BigEndian.Uint64(s.from(&s.heads[st.a], int(st.to[0])))>>(st.shift&63)&st.x | st.y
		case stepIsSlot:
			if s.slots[st.a]&st.x == st.y {
				goto yes
			}
			goto no
		case stepIsField:
			if binary.BigEndian.Uint64(s.from(&s.heads[st.a], int(st.dst)))&st.x == st.y {
				goto yes
			}
			goto no
		case stepPut8:
			b := s.from(&s.heads[st.a], int(st.to[0]))
			b[0] = b[0]&^uint8(st.y) | uint8(st.x)
		case stepPut16:
			b := s.from(&s.heads[st.a], int(st.to[0]))
			binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^uint16(st.y)|uint16(st.x))
		case stepPut32:
			binary.BigEndian.PutUint32(s.from(&s.heads[st.a], int(st.to[0])), uint32(st.x))
		case stepStateful:
			s.access(t.accesses[st.dst])
		case stepTest:
			if s.holds(t.tests[st.dst]) {
				goto yes
			}
			goto no
		case stepTable:
			pc = s.choice(t, side, at, &t.tables[st.dst])
		case stepEnd:
			return
		case stepRest:
			s.runFrom(side.control, int(st.dst))
			return
		default:
			s.step(t, st)
		}
		continue
		// Each answer has a way of its own, so that a processor that foretells it need not
		// wait for what was asked for.
	yes:
		if pc = st.to[1]; pc == 0 {
			pc = s.grow(t, side, at, 1)
		}
		continue
	no:
		if pc = st.to[0]; pc == 0 {
			pc = s.grow(t, side, at, 0)
		}
	}
}

// step does what is no question and comes up less often.
func (s *Pass) step(t *tree, st *step) {
	switch st.op {
	case stepStore:
		s.put(&s.code.fields[st.dst], st.x)
	case stepStoreSlot:
		s.put(&s.code.fields[st.dst], s.slots[st.a])
	case stepCopy:
		s.put(&s.code.fields[st.dst], s.get(&s.code.fields[st.to[0]]))
	case stepFetch:
		s.slots[st.dst] = (s.get(&s.code.fields[st.to[0]]) | st.y) & st.x
	case stepAdd:
		s.slots[st.dst] = (s.get(&s.code.fields[st.to[0]]) + st.y) & st.x
	case stepValidate:
		s.validate(int(st.dst))
	case stepRemove:
		s.invalidate(int(st.dst))
	case stepVector:
		t.vectors[st.dst].execute(s)
	case stepCount:
		t.rows[st.dst].count(s)
	case stepRun:
		s.run(t.insts[st.dst : st.dst+int32(st.a)])
	}
}

// inOne reports whether one step can read a field.
func (r *ref) inOne() bool { return r.kind != inSlot && r.len <= 8 }

// putting returns a step that writes a constant into a field.
func (r *ref) putting(v uint64) step {
	st := step{a: r.head, to: [2]int32{r.off}, dst: r.id, x: v << r.low, y: r.mask << r.low}
	switch {
	case r.len == 1:
		st.op = stepPut8
	case r.len == 2:
		st.op = stepPut16
	case r.kind == inWord32:
		st.op = stepPut32
	default:
		st.op, st.x = stepStore, v
	}
	return st
}

// choice returns the step that follows a lookup.
func (s *Pass) choice(t *tree, side *side, at int32, q *choice) int32 {
	i := int32(q.table.row(s, q.table.key).place)
	if i == q.last {
		return q.next
	}
	next := q.to[i]
	if next == 0 {
		next = s.grow(t, side, at, int(i))
		q = &t.tables[t.steps[at].dst]
	}
	q.last, q.next = i, next
	return next
}
