package vm

import "github.com/inalab/inalab/switchd/tofino/fit"

// access is one access to a register.
type access struct {
	alu    alu
	id     int32 // of the register
	lane   int32 // copy
	index  index
	inputs [2]source
	dst    *ref // nil: nowhere
}

// source is where an input of a stateful ALU comes from.
type source struct {
	field *ref  // nil: there is none
	slot  int   // of metadata
	shift uint8 // 32 for the upper word of a field
}

func (s *Pass) input(x *source) uint32 {
	switch {
	case x.field == nil:
		return 0
	case x.field.kind == inSlot:
		return uint32(s.slots[x.slot] >> x.shift)
	}
	return uint32(s.get(x.field) >> x.shift)
}

// compileAccess compiles one access to a register.
func (c *Code) compileAccess(o *fit.Op, n int) *access {
	a := &access{id: int32(o.Register.ID), lane: int32(o.Register.Of(n)), alu: compileALU(&c.prog.Registers[o.Register.ID], o.Run), index: c.index(o, n)}
	for i := range o.In { // fields, as fit has seen to
		f := &c.fields[o.In[i].Field.Of(n)]
		a.inputs[i] = source{field: f, slot: int(f.off)}
	}
	if len(o.In) == 1 && o.In[0].Bits > fit.MaxLaneBits {
		a.inputs[1] = a.inputs[0]
		a.inputs[1].shift = fit.MaxLaneBits
	}
	if o.Dst.ID != fit.NoField {
		a.dst = &c.fields[o.Dst.Of(n)]
	}
	return a
}

// access does one, and puts its output where it belongs.
func (s *Pass) access(a *access) {
	out := s.output(a)
	switch {
	case a.dst == nil:
	case a.dst.kind == inSlot:
		s.slots[a.dst.off] = out & a.dst.mask
	default:
		s.put(a.dst, out)
	}
}

func (s *Pass) output(a *access) uint64 {
	r, u := &s.pipe.registers[a.id], &a.alu
	i := s.at(&a.index)
	if i >= uint64(r.size) {
		return 0
	}
	var v terms
	v[termIn0], v[termIn1] = s.input(&a.inputs[0])&u.mask, s.input(&a.inputs[1])&u.mask
	v[termLo], v[termHi] = r.load(int(i), int(a.lane))
	out := u.run(&v)
	if u.writes {
		r.store(int(i), int(a.lane), v[termNewLo], v[termNewHi])
	}
	return uint64(out)
}

// compileExecute compiles an access whose output is stored with that of others.
func (c *Code) compileExecute(o *fit.Op, n int) value {
	a := c.compileAccess(o, n)
	return func(s *Pass) uint64 { return s.output(a) }
}

// index is what names the entry of an access: bits of a field, or a constant.
type index struct {
	source
	mask  uint64
	entry uint64 // where there is no field
	param int    // number of the parameter it is; -1: none
}

func (c *Code) index(o *fit.Op, n int) index {
	x := index{mask: ^uint64(0), param: -1}
	switch o.Index.Kind {
	case fit.Const:
		x.entry = o.Index.Const
	case fit.FromParam:
		x.param = o.Index.Param
	default:
		f := &c.fields[o.Index.Field.Of(n)]
		x.source, x.mask = source{field: f, slot: int(f.off), shift: uint8(o.IndexFrom)}, ones(o.Index.Bits)
	}
	return x
}

// at returns the entry that an index names.
func (s *Pass) at(x *index) uint64 {
	switch {
	case x.param >= 0:
		return s.args[x.param]
	case x.field == nil:
		return x.entry
	case x.field.kind == inSlot:
		return s.slots[x.slot] >> x.shift & x.mask
	}
	return s.get(x.field) >> x.shift & x.mask
}
