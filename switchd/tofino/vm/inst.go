package vm

import "github.com/inalab/inalab/switchd/tofino/fit"

// opcode names an instruction. Those of their own are what programs do most; a call
// of a closure does everything else.
type opcode uint8

const (
	opCall       opcode = iota
	opConst             // slot dst = imm
	opParam             // slot dst = argument a
	opMove              // slot dst = slot a
	opLoad              // slot dst = field
	opStore             // field = imm
	opStoreParam        // field = argument a
	opStoreSlot         // field = slot a
	opCopy              // field = another
	opOrParam           // slot dst = argument a | field
	opAddParam          // slot dst = field + argument a
	opValidate          // header dst
	opRemove            // header dst
	opArgs              // arguments of a default action
	opLookup            // table dst, one copy
	opLookupOnce        // table dst, all copies
	opJump
	opUnless      // jump unless a relation holds
	opUnlessValid // jump unless header dst is valid
	opStateful    // one access to a register
	opJoin        // slot dst = fields one behind another
)

// inst is one instruction of a control or of an action. There are hundreds in a pass,
// and they have to stay in a processor's first cache.
type inst struct {
	op    opcode
	a     int16
	dst   int32
	jump  int32  // instruction to go on with
	imm   uint64 // constant, or mask of what goes to a slot
	field *ref   // that is read, or else written
	rare  *rare
}

// rare is what few instructions have.
type rare struct {
	from   *ref
	call   func(*Pass)
	writes []fit.FieldID // fields that a call may change
	opaque bool          // a call may do anything
	test   *relation
	args   []uint64
	access *access
	key    *key
}

// instructions is a sequence of instructions.
type instructions []inst

// run does a list from its first instruction to its end.
func (s *Pass) run(code instructions) { s.runFrom(code, 0) }

// runFrom does a list from any instruction to its end.
func (s *Pass) runFrom(code instructions, pc int) {
	for ; pc < len(code); pc++ {
		in := &code[pc]
		switch in.op {
		case opConst:
			s.slots[in.dst] = in.imm
		case opParam:
			s.slots[in.dst] = s.args[in.a] & in.imm
		case opMove:
			s.slots[in.dst] = s.slots[in.a] & in.imm
		case opLoad:
			s.slots[in.dst] = s.get(in.field) & in.imm
		case opStore:
			s.put(in.field, in.imm)
		case opStoreParam:
			s.put(in.field, s.args[in.a])
		case opStoreSlot:
			s.put(in.field, s.slots[in.a])
		case opCopy:
			s.put(in.field, s.get(in.rare.from))
		case opOrParam:
			s.slots[in.dst] = (s.args[in.a] | s.get(in.field)) & in.imm
		case opAddParam:
			s.slots[in.dst] = (s.get(in.field) + s.args[in.a]) & in.imm
		case opValidate:
			s.validate(int(in.dst))
		case opRemove:
			s.invalidate(int(in.dst))
		case opArgs:
			s.args = in.rare.args
		case opLookup:
			s.lookup(in)
		case opLookupOnce:
			s.lookupOnce(in)
		case opJump:
			pc = int(in.jump) - 1
		case opCall:
			in.rare.call(s)
		case opStateful:
			s.access(in.rare.access)
		case opJoin:
			s.slots[in.dst] = in.rare.key.readOne(s) >> (in.a & 63) & in.imm
		case opUnless:
			if !s.holds(in.rare.test) {
				pc = int(in.jump) - 1
			}
		case opUnlessValid:
			if !s.valid(int(in.dst)) {
				pc = int(in.jump) - 1
			}
		}
	}
}

// lookup applies a table of one copy.
func (s *Pass) lookup(in *inst) {
	t := s.pipe.tables[in.dst]
	r := t.find(s, t.key)
	if len(r.code) > 0 {
		s.args = r.args
		s.run(r.code)
	}
}

// lookupOnce applies a table with copies that all match the same entry.
func (s *Pass) lookupOnce(in *inst) {
	t := s.pipe.tables[in.dst]
	r := t.find(s, t.key)
	if r.action < 0 {
		return
	}
	s.args = r.args
	if r.vector != nil {
		r.vector.execute(s)
		return
	}
	for _, code := range s.code.tables[in.dst].actions[r.action] {
		s.run(code)
	}
}

// call is an instruction for what has none of its own, and writes some fields.
func call(f func(*Pass), writes ...fit.FieldID) inst {
	return inst{op: opCall, rare: &rare{call: f, writes: writes}}
}

// apply compiles the application of a table.
func (c *Code) apply(id fit.TableID) instructions {
	t, from := &c.tables[id], &c.prog.Tables[id]
	switch {
	case len(from.Keys) == 0 && !from.Counter && from.Copies == 1: // always the same action
		if from.Default < 0 {
			return nil
		}
		code := instructions{}
		if len(from.Args) > 0 {
			code = append(code, inst{op: opArgs, rare: &rare{args: from.Args}})
		}
		return append(code, t.actions[from.Default][0]...)
	case from.Copies == 1:
		return instructions{{op: opLookup, dst: int32(id)}}
	case t.once:
		return instructions{{op: opLookupOnce, dst: int32(id)}}
	}
	return instructions{{op: opCall, rare: &rare{opaque: true, call: func(s *Pass) {
		for i := range t.keys {
			r := s.pipe.tables[id].find(s, &t.keys[i])
			if r.action >= 0 {
				s.args = r.args
				s.run(t.actions[r.action][i])
			}
		}
	}}}}
}
