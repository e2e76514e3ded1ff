package vm

import "github.com/inalab/inalab/switchd/tofino/fit"

// Access is one access to a register.
type Access struct {
	alu    alu
	id     int32 // of the register
	lane   int32 // copy
	Index  Index
	inputs [2]source
}

// source is where an input of a stateful ALU comes from.
type source struct {
	field *Ref  // nil: there is none
	slot  int   // of metadata
	shift uint8 // 32 for the upper word of a field
}

func (s *Pass) input(x *source) uint32 {
	switch {
	case x.field == nil:
		return 0
	case x.field.InSlot():
		return uint32(s.Slots[x.slot] >> x.shift)
	}
	return uint32(s.Get(x.field) >> x.shift)
}

// compileAccess compiles one access to a register.
func (c *Code) compileAccess(o *fit.Op, n int) *Access {
	a := &Access{id: int32(o.Register.ID), lane: int32(o.Register.Of(n)), alu: compileALU(&c.prog.Registers[o.Register.ID], o.Run),
		Index: c.index(o, n)}
	for i := range o.In { // fields, as fit has seen to
		f := &c.fields[o.In[i].Field.Of(n)]
		a.inputs[i] = source{field: f, slot: int(f.Off)}
	}
	if len(o.In) == 1 && o.In[0].Bits > fit.MaxLaneBits {
		a.inputs[1] = a.inputs[0]
		a.inputs[1].shift = fit.MaxLaneBits
	}
	return a
}

// Output does one and returns what it puts out.
func (a *Access) Output(s *Pass) uint64 {
	r, u := &s.pipe.registers[a.id], &a.alu
	i := a.Index.Entry(s)
	if i >= uint64(r.size) {
		s.pipe.beyond++
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

// Index is what names the entry of an access: bits of a field, a parameter, or a constant.
type Index struct {
	source
	mask  uint64
	entry uint64 // where there is no field
	param int    // number of the parameter it is; -1: none
}

func (c *Code) index(o *fit.Op, n int) Index {
	x := Index{mask: ^uint64(0), param: -1}
	switch o.Index.Kind {
	case fit.Const:
		x.entry = o.Index.Const
	case fit.FromParam:
		x.param = o.Index.Param
	default:
		f := &c.fields[o.Index.Field.Of(n)]
		x.source, x.mask = source{field: f, slot: int(f.Off), shift: uint8(o.IndexFrom)}, ones(o.Index.Bits)
	}
	return x
}

// Entry returns the number of the entry, which the register need not have.
func (x *Index) Entry(s *Pass) uint64 {
	switch {
	case x.param >= 0:
		return s.args[x.param]
	case x.field == nil:
		return x.entry
	case x.field.InSlot():
		return s.Slots[x.slot] >> x.shift & x.mask
	}
	return s.Get(x.field) >> x.shift & x.mask
}
