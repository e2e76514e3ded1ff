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

// source is where an input of a stateful ALU, or an index, comes from.
type source struct {
	field *Ref
	slot  int // of metadata
	kind  sourceKind
	shift uint8 // 32 for the upper word of a field
}

type sourceKind uint8

const (
	fromNone  sourceKind = iota
	fromSlot             // metadata
	fromField            // of a header
	fromParam            // of an action: only an index
)

func sourceOf(f *Ref, shift uint8) source {
	x := source{field: f, slot: int(f.Off), kind: fromField, shift: shift}
	if f.InSlot() {
		x.kind = fromSlot
	}
	return x
}

// Reads reports whether the value comes from a slot.
func (x *source) Reads(slot int) bool {
	return x.kind == fromSlot && x.slot == slot || x.kind == fromField && x.field.kind == inSlice && int(x.field.Off) == slot
}

// Reads reports whether the access reads a slot.
func (a *Access) Reads(slot int) bool {
	return a.Index.Reads(slot) || a.inputs[0].Reads(slot) || a.inputs[1].Reads(slot)
}

// get returns the value; 0 where there is none.
func (x *source) get(s *Pass) uint64 {
	switch x.kind {
	case fromSlot:
		return s.Slots[x.slot] >> (x.shift & 63)
	case fromField:
		return s.Get(x.field) >> (x.shift & 63)
	}
	return 0
}

// compileAccess compiles one access to a register.
func (c *Code) compileAccess(o *fit.Op, n int) *Access {
	a := &Access{id: int32(o.Register.ID), lane: int32(o.Register.Of(n)), alu: compileALU(&c.prog.Registers[o.Register.ID], o.Run),
		Index: c.index(o, n)}
	for i := range o.In { // fields, as fit has seen to
		a.inputs[i] = sourceOf(&c.fields[o.In[i].Field.Of(n)], 0)
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
	v[termIn0], v[termIn1] = uint32(a.inputs[0].get(s))&u.mask, uint32(a.inputs[1].get(s))&u.mask
	return u.access(r, int(i), int(a.lane), &v)
}

// Index is what names the entry of an access: bits of a field, a parameter, or a constant.
type Index struct {
	source
	mask  uint64
	entry uint64 // where there is no source
	param int
}

func (c *Code) index(o *fit.Op, n int) Index {
	x := Index{mask: ^uint64(0)}
	switch o.Index.Kind {
	case fit.Const:
		x.entry = o.Index.Const
	case fit.FromParam:
		x.kind, x.param = fromParam, o.Index.Param
	default:
		x.source, x.mask = sourceOf(&c.fields[o.Index.Field.Of(n)], uint8(o.IndexFrom)), ones(o.Index.Bits)
	}
	return x
}

// Entry returns the number of the entry, which the register need not have.
func (x *Index) Entry(s *Pass) uint64 {
	switch x.kind {
	case fromParam:
		return s.args[x.param]
	case fromNone:
		return x.entry
	}
	return x.get(s) & x.mask
}
