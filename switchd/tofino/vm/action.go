package vm

import (
	"cmp"
	"hash/crc32"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// value is a compiled expression.
type value = func(*Pass) uint64

// Action is what one copy of a table does with a packet: headers are added first and removed last.
type Action []Op

// Op is one operation of an action.
type Op struct {
	*fit.Op
	Copy   int
	Value  func(*Pass) uint64 // nil: the operation adds or removes a header
	To     *Ref               // where the value goes; nil: nowhere
	Access *Access            // of Execute
}

// compileAction returns the operations of one copy of an action.
func (c *Code) compileAction(from *fit.Action, n int) (out Action) {
	for i := range from.Do {
		o := Op{Op: &from.Do[i], Copy: n}
		if o.Dst.ID != fit.NoField {
			if o.To = &c.fields[o.Dst.Of(n)]; o.DstBits < int(o.To.Bits) {
				o.To = o.To.slice(o.DstFrom, o.DstBits)
			}
		}
		if o.Kind != ir.Validate && o.Kind != ir.Remove {
			c.compileValue(&o)
		}
		out = append(out, o)
	}
	c.longest = max(c.longest, len(out))
	slices.SortStableFunc(out, func(a, b Op) int { return cmp.Compare(a.turn(), b.turn()) })
	return out
}

// turn orders the operations of an action.
func (o *Op) turn() int {
	switch o.Kind {
	case ir.Validate:
		return 0
	case ir.Remove:
		return 2
	}
	return 1
}

// Do does an action with arguments. All values are computed before any is stored.
func (s *Pass) Do(a Action, args []uint64) {
	s.args = args
	results := s.results[:len(a)]
	for i := range a {
		if o := &a[i]; o.Value != nil {
			results[i] = o.Value(s)
		} else if o.Kind == ir.Validate {
			s.Validate(o.Header)
		}
	}
	for i := range a {
		if o := &a[i]; o.To != nil {
			s.Put(o.To, results[i])
		} else if o.Kind == ir.Remove {
			s.Invalidate(o.Header)
		}
	}
}

// compileValue compiles what an operation computes; the width of its destination is
// that of its numbers with a sign.
func (c *Code) compileValue(o *Op) {
	switch n := o.Copy; o.Kind {
	case ir.Execute:
		o.Access = c.compileAccess(o.Op, n)
		o.Value = o.Access.Output
	case ir.Random:
		o.Value = func(s *Pass) uint64 { return s.pipe.random.Uint64() }
	case ir.Hash:
		o.Value = c.compileHash(o.In, n)
	case ir.Concat:
		o.Value = c.compileConcat(o.In, n)
	case ir.Set:
		o.Value = c.operand(o.A, n)
	default:
		o.Value = combine(o.Kind, c.operand(o.A, n), c.operand(o.B, n), o.To.Bits)
	}
}

// combine compiles an operation of two values.
func combine(kind ir.OpKind, a, b value, bits uint8) value {
	switch kind {
	case ir.Shl:
		return func(s *Pass) uint64 { return a(s) << b(s) }
	case ir.Shr:
		return func(s *Pass) uint64 { return a(s) >> b(s) }
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
	case ir.ShrSigned:
		return func(s *Pass) uint64 { return uint64(signed(a(s), bits) >> b(s)) }
	case ir.SatAdd, ir.SatSub:
		return func(s *Pass) uint64 { return saturate(kind, a(s), b(s), bits) }
	case ir.SatAddSigned, ir.SatSubSigned:
		return func(s *Pass) uint64 { return saturateSigned(kind, a(s), b(s), bits) }
	case ir.Min:
		return func(s *Pass) uint64 { return min(a(s), b(s)) }
	case ir.Max:
		return func(s *Pass) uint64 { return max(a(s), b(s)) }
	case ir.MinSigned:
		return func(s *Pass) uint64 { return uint64(min(signed(a(s), bits), signed(b(s), bits))) }
	case ir.MaxSigned:
		return func(s *Pass) uint64 { return uint64(max(signed(a(s), bits), signed(b(s), bits))) }
	}
	panic("vm: operation " + string(kind) + " went past fit")
}

// saturate returns a sum or difference of numbers of up to 32 bits, which stops at their ends.
func saturate(kind ir.OpKind, a, b uint64, bits uint8) uint64 {
	if kind == ir.SatAdd {
		return min(a+b, ones(int(bits)))
	}
	return a - min(a, b)
}

// saturateSigned is saturate for numbers with a sign.
func saturateSigned(kind ir.OpKind, a, b uint64, bits uint8) uint64 {
	x, y, end := signed(a, bits), signed(b, bits), int64(1)<<(bits-1)
	if kind == ir.SatSubSigned {
		y = -y
	}
	return uint64(max(-end, min(x+y, end-1)))
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
	if o.Bits < int(r.Bits) {
		r = r.slice(o.From, o.Bits)
	}
	if at := r.Off; r.InSlot() {
		return func(s *Pass) uint64 { return s.Slots[at] }
	}
	return func(s *Pass) uint64 { return s.Get(r) }
}

func (c *Code) compileHash(in []fit.Operand, n int) value {
	var list []value
	for _, o := range in {
		list = append(list, c.operand(o, n))
	}
	return func(s *Pass) uint64 {
		s.text = s.text[:0]
		for i, v := range list {
			for v, b := v(s), (in[i].Bits+7)/8-1; b >= 0; b-- {
				s.text = append(s.text, byte(v>>(8*b)))
			}
		}
		return uint64(crc32.ChecksumIEEE(s.text))
	}
}

// compileConcat reads fields one behind another as a key of them is read: all in one word where
// there is room.
func (c *Code) compileConcat(in []fit.Operand, n int) value {
	var fields []fit.FieldID
	bits := 0
	for _, o := range in {
		fields = append(fields, o.Field.Of(n))
		bits += o.Bits
	}
	k := c.newKey(fields)
	if k.words == 1 {
		return func(s *Pass) uint64 { return k.readOne(s) >> (64 - bits) }
	}
	return func(s *Pass) (v uint64) {
		for i := range k.parts {
			v = v<<k.parts[i].field.Bits | s.Get(&k.parts[i].field)
		}
		return v
	}
}
