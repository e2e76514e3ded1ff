package vm

import (
	"hash/crc32"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// value is a compiled expression.
type value func(*Pass) uint64

// compileAction returns the operations of one copy of an action: headers that are
// added come first, those that are removed last, and where one would read what
// another has written, all are computed before any is stored.
func (c *Code) compileAction(a *fit.Action, n int) (out instructions) {
	for i := range a.Do {
		if o := &a.Do[i]; o.Kind == ir.Validate {
			out = append(out, inst{op: opValidate, dst: int32(o.Header)})
		}
	}
	if c.crossed(a, n) {
		out = append(out, call(c.compileAtOnce(a, n), written(a, n)...))
	} else {
		for i := range a.Do {
			if o := &a.Do[i]; !ends(o.Kind) {
				out = append(out, c.compileOp(o, n))
			}
		}
	}
	for i := range a.Do {
		if o := &a.Do[i]; o.Kind == ir.Remove {
			out = append(out, inst{op: opRemove, dst: int32(o.Header)})
		}
	}
	return out
}

// ends reports whether an operation is about a header.
func ends(k ir.OpKind) bool { return k == ir.Validate || k == ir.Remove }

// crossed reports whether an operation of an action reads what an earlier one writes.
func (c *Code) crossed(a *fit.Action, n int) bool {
	written := map[fit.FieldID]bool{}
	for i := range a.Do {
		o := &a.Do[i]
		for _, x := range append([]fit.Operand{o.A, o.B, o.Index}, o.In...) {
			if x.Kind == fit.FromField && x.Field.ID != fit.NoField && written[x.Field.Of(n)] {
				return true
			}
		}
		if !ends(o.Kind) && o.Dst.ID != fit.NoField {
			written[o.Dst.Of(n)] = true
		}
	}
	return false
}

// written are the fields that a copy of an action writes.
func written(a *fit.Action, n int) (out []fit.FieldID) {
	for i := range a.Do {
		if o := &a.Do[i]; !ends(o.Kind) && o.Dst.ID != fit.NoField {
			out = append(out, o.Dst.Of(n))
		}
	}
	return out
}

// compileAtOnce computes all results before it stores them.
func (c *Code) compileAtOnce(a *fit.Action, n int) func(*Pass) {
	type result struct {
		of  value
		dst *ref // nil: nowhere
	}
	var list []result
	for i := range a.Do {
		o := &a.Do[i]
		if ends(o.Kind) {
			continue
		}
		r := result{of: c.compileValue(o, n)}
		if o.Dst.ID != fit.NoField {
			r.dst = &c.fields[o.Dst.Of(n)]
		}
		list = append(list, r)
	}
	return func(s *Pass) {
		s.results = s.results[:0]
		for i := range list {
			s.results = append(s.results, list[i].of(s))
		}
		for i := range list {
			if list[i].dst != nil {
				s.put(list[i].dst, s.results[i])
			}
		}
	}
}

// compileOp compiles an operation and its store.
func (c *Code) compileOp(o *fit.Op, n int) inst {
	if o.Kind == ir.Execute {
		return inst{op: opStateful, rare: &rare{access: c.compileAccess(o, n)}}
	}
	if o.Dst.ID == fit.NoField {
		of := c.compileValue(o, n)
		return call(func(s *Pass) { of(s) })
	}
	dst := &c.fields[o.Dst.Of(n)]
	if in, ok := c.compileMove(o, n, dst); ok {
		return in
	}
	if in, ok := c.compileJoin(o, n, dst); ok && !c.oneByOne {
		return in
	}
	of := c.compileValue(o, n)
	if at, mask := dst.off, dst.mask; dst.kind == inSlot {
		return call(func(s *Pass) { s.slots[at] = of(s) & mask }, o.Dst.Of(n))
	}
	return call(func(s *Pass) { s.put(dst, of(s)) }, o.Dst.Of(n))
}

// compileMove compiles an operation that only moves, as most do, or joins a parameter
// and a field into metadata; ok is false for others.
func (c *Code) compileMove(o *fit.Op, n int, dst *ref) (in inst, ok bool) {
	slot := dst.kind == inSlot
	in = inst{dst: dst.off, imm: dst.mask, field: dst}
	if p, f, ok := paramAndField(o); ok && slot {
		in.field, in.a = &c.fields[f.Field.Of(n)], int16(p.Param)
		switch o.Kind {
		case ir.Or:
			in.op = opOrParam
			return in, true
		case ir.Add:
			in.op = opAddParam
			return in, true
		}
	}
	if o.Kind != ir.Set {
		return in, false
	}
	pick := func(toSlot, toField opcode) opcode {
		if slot {
			return toSlot
		}
		return toField
	}
	switch o.A.Kind {
	case fit.Const:
		in.op, in.imm = pick(opConst, opStore), o.A.Const&dst.mask
	case fit.FromParam:
		in.op, in.a = pick(opParam, opStoreParam), int16(o.A.Param)
	default:
		from := &c.fields[o.A.Field.Of(n)]
		switch {
		case from.kind == inSlot:
			in.op, in.a = pick(opMove, opStoreSlot), int16(from.off)
		case slot:
			in.op, in.field = opLoad, from
		default:
			in.op, in.rare = opCopy, &rare{from: from}
		}
	}
	return in, true
}

// compileJoin compiles fields one behind another into metadata of as many bits; ok is false
// for anything else.
func (c *Code) compileJoin(o *fit.Op, n int, dst *ref) (in inst, ok bool) {
	if o.Kind != ir.Concat || dst.kind != inSlot {
		return inst{}, false
	}
	var fields []fit.FieldID
	total := 0
	for _, x := range o.In {
		if x.Kind != fit.FromField {
			return inst{}, false
		}
		fields = append(fields, x.Field.Of(n))
		total += int(c.fields[x.Field.Of(n)].bits)
	}
	k := c.newKey(fields)
	return inst{op: opJoin, dst: dst.off, a: int16(64 - total), imm: dst.mask, rare: &rare{key: &k}}, k.words == 1
}

// paramAndField returns the operands of an operation on one of each, in any order.
func paramAndField(o *fit.Op) (param, field fit.Operand, ok bool) {
	switch {
	case o.A.Kind == fit.FromParam && o.B.Kind == fit.FromField:
		return o.A, o.B, true
	case o.A.Kind == fit.FromField && o.B.Kind == fit.FromParam:
		return o.B, o.A, true
	}
	return param, field, false
}

// compileValue compiles what an operation computes; the width of its destination is
// that of its numbers with a sign.
func (c *Code) compileValue(o *fit.Op, n int) value {
	switch o.Kind {
	case ir.Execute:
		return c.compileExecute(o, n)
	case ir.Random:
		return func(s *Pass) uint64 { return s.pipe.random.Uint64() }
	case ir.Hash:
		return c.compileHash(o.In, n)
	case ir.Concat:
		return c.compileConcat(o.In, n)
	}
	a := c.operand(o.A, n)
	switch o.Kind {
	case ir.Set:
		return a
	case ir.Shl:
		by := o.B.Const
		return func(s *Pass) uint64 { return a(s) << by }
	case ir.Shr:
		by := o.B.Const
		return func(s *Pass) uint64 { return a(s) >> by }
	}
	return combine(o.Kind, a, c.operand(o.B, n), c.fields[o.Dst.Of(n)].bits)
}

// combine compiles an operation of two values.
func combine(kind ir.OpKind, a, b value, bits uint8) value {
	switch kind {
	case ir.Add:
		return func(s *Pass) uint64 { return a(s) + b(s) }
	case ir.Sub:
		return func(s *Pass) uint64 { return a(s) - b(s) }
	case ir.And:
		return func(s *Pass) uint64 { return a(s) & b(s) }
	case ir.Or:
		return func(s *Pass) uint64 { return a(s) | b(s) }
	case ir.Xor:
		return func(s *Pass) uint64 { return a(s) ^ b(s) }
	case ir.AndNot:
		return func(s *Pass) uint64 { return a(s) &^ b(s) }
	case ir.MinSigned:
		return func(s *Pass) uint64 { return uint64(min(signed(a(s), bits), signed(b(s), bits))) }
	case ir.MaxSigned:
		return func(s *Pass) uint64 { return uint64(max(signed(a(s), bits), signed(b(s), bits))) }
	}
	panic("vm: operation " + string(kind) + " went past fit")
}

// operand compiles what an operation reads.
func (c *Code) operand(o fit.Operand, n int) value {
	switch o.Kind {
	case fit.Const:
		v := o.Const
		return func(*Pass) uint64 { return v }
	case fit.FromParam:
		at := o.Param
		return func(s *Pass) uint64 { return s.args[at] }
	}
	r := &c.fields[o.Field.Of(n)]
	if at := r.off; r.kind == inSlot {
		return func(s *Pass) uint64 { return s.slots[at] }
	}
	return func(s *Pass) uint64 { return s.get(r) }
}

func (c *Code) compileHash(in []fit.Operand, n int) value {
	type input struct {
		of    value
		bytes int
	}
	var list []input
	for _, o := range in {
		list = append(list, input{c.operand(o, n), (o.Bits + 7) / 8})
	}
	return func(s *Pass) uint64 {
		s.text = s.text[:0]
		for i := range list {
			v := list[i].of(s)
			for b := list[i].bytes - 1; b >= 0; b-- {
				s.text = append(s.text, byte(v>>(8*b)))
			}
		}
		return uint64(crc32.ChecksumIEEE(s.text))
	}
}

func (c *Code) compileConcat(in []fit.Operand, n int) value {
	type input struct {
		of   value
		bits int
	}
	var list []input
	for _, o := range in {
		list = append(list, input{c.operand(o, n), o.Bits})
	}
	return func(s *Pass) (v uint64) {
		for i := range list {
			v = v<<list[i].bits | list[i].of(s)
		}
		return v
	}
}
