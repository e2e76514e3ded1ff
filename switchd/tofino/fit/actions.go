package fit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// scope is where an action is resolved: in one table.
type scope struct {
	*symbols
	where  string // for refusals
	side   Side
	copies int // that [*] stands for; 0: none
	params []ir.Param
	slices bool // fields may be slices
}

// action resolves an action for the table of a scope.
func (c scope) action(a *ir.Action) Action {
	c.where += ", " + quoted("action", a.Name)
	c.params = a.Params
	for i, p := range a.Params {
		if p.Bits < 1 || p.Bits > 64 || slices.ContainsFunc(a.Params[:i], func(q ir.Param) bool { return q.Name == p.Name }) {
			c.bad.add(RuleForm, c.where, "name each once, with 1 to 64 bits", "parameter %q of %d bits", p.Name, p.Bits)
		}
	}
	out := Action{Name: a.Name, Params: a.Params}
	for i := range a.Do {
		if op, ok := c.op(&a.Do[i]); ok {
			out.Do = append(out.Do, op)
		}
	}
	c.checkWrites(out.Do)
	return out
}

// op resolves one operation by its kind.
func (c scope) op(o *ir.Op) (Op, bool) {
	op := Op{Kind: o.Kind, Dst: Ref{ID: NoField}, Header: NoHeader, Register: RegisterRef{ID: NoRegister}}
	ok := false
	switch o.Kind {
	case ir.Validate, ir.Remove:
		op.Header, ok = c.header(c.where, o.Dst)
	case ir.Set:
		ok = c.move(&op, o)
	case ir.Execute:
		ok = c.execute(&op, o)
	case ir.Hash, ir.Concat:
		ok = c.dst(&op, o, MaxHashBits) && c.hash(&op, o)
	case ir.Random:
		ok = c.dst(&op, o, MaxRandomBits)
	default:
		if operations[o.Kind] == 0 {
			c.bad.add(RuleForm, c.where, "", "there is no operation %q", o.Kind)
			return op, false
		}
		ok = c.arithmetic(&op, o)
	}
	return op, ok
}

func (c scope) bits(r Ref) int { return c.Fields[r.ID].Bits }

// dst resolves what an operation writes.
func (c scope) dst(op *Op, o *ir.Op, most int) bool {
	r, from, bits, ok := c.part(o.Dst)
	if !ok || !c.settable(c.where, c.side, r) {
		return false
	}
	op.Dst, op.DstFrom, op.DstBits = r, from, bits
	if bits > most {
		c.bad.add(RuleALUWidth, c.where, "cut the field in two", "%s to field %q of %d bits; at most %d", o.Kind, o.Dst, bits, most)
		return false
	}
	return true
}

// Whether an operand must be as wide as what it goes to.
const (
	sameWidth = false
	anyWidth  = true
)

// operand resolves what an operation reads; bits is the width of its partner.
func (c scope) operand(to *Operand, o ir.Operand, bits int, free bool) bool {
	switch {
	case o.Field != "":
		r, from, n, ok := c.part(o.Field)
		if !ok || !c.readable(c.where, c.side, r) {
			return false
		}
		*to = Operand{Kind: FromField, Field: r, From: from, Bits: n}
	case o.Param != "":
		n := slices.IndexFunc(c.params, func(p ir.Param) bool { return p.Name == o.Param })
		if n < 0 {
			c.bad.add(RuleName, c.where, "declare it", "there is no parameter %q", o.Param)
			return false
		}
		*to = Operand{Kind: FromParam, Field: Ref{ID: NoField}, Param: n, Bits: c.params[n].Bits}
	default:
		*to = Operand{Kind: Const, Field: Ref{ID: NoField}, Const: o.Const, Bits: bits}
		if !fits(o.Const, bits) {
			c.bad.add(RuleWidth, c.where, "", "constant %#x has more than %d bits", o.Const, bits)
			return false
		}
	}
	if !free && to.Bits != bits {
		c.bad.add(RuleWidth, c.where, "set a field of that width first", "operand %s has %d bits, its partner %d", spell(o), to.Bits, bits)
		return false
	}
	return true
}

// fits tells whether a value has no more than so many bits.
func fits(v uint64, bits int) bool { return bits >= 64 || v>>bits == 0 }

func spell(o ir.Operand) string {
	switch {
	case o.Field != "":
		return o.Field
	case o.Param != "":
		return o.Param
	}
	return fmt.Sprint(o.Const)
}

// pair resolves the two sources of an ALU, of which one at least is a container.
func (c scope) pair(op *Op, o *ir.Op) bool {
	bits := c.bits(op.Dst)
	if !c.operand(&op.A, o.A, bits, sameWidth) || !c.operand(&op.B, o.B, bits, sameWidth) {
		return false
	}
	if op.A.Kind != FromField && op.B.Kind != FromField {
		c.bad.add(RuleALUSource, c.where, "name a field", "%s of %s and %s: neither is a field", o.Kind, spell(o.A), spell(o.B))
		return false
	}
	return true
}

func (c scope) shift(op *Op, o *ir.Op) bool {
	bits := c.bits(op.Dst)
	if !c.operand(&op.A, o.A, bits, sameWidth) || !c.operand(&op.B, o.B, 8, anyWidth) {
		return false
	}
	if op.A.Kind != FromField || op.B.Kind != Const || op.B.Const >= uint64(bits) {
		c.bad.add(RuleALUSource, c.where, "shift a field by a constant", "%s of %s by %s; a field is shifted by 0 to %d", o.Kind,
			spell(o.A), spell(o.B), bits-1)
		return false
	}
	return true
}

func (c scope) hash(op *Op, o *ir.Op) bool {
	if len(o.In) == 0 {
		c.bad.add(RuleForm, c.where, "name its fields", "%s of nothing", o.Kind)
	}
	for _, in := range o.In {
		if in.Field == "" {
			c.bad.add(RuleForm, c.where, "set a field to it first", "%s of %s, which is no field", o.Kind, spell(in))
			return false
		}
	}
	return c.inputs(op, o) && len(o.In) > 0
}

func (c scope) inputs(op *Op, o *ir.Op) bool {
	ok := true
	for _, in := range o.In {
		var to Operand
		ok = c.operand(&to, in, 64, anyWidth) && ok
		op.In = append(op.In, to)
	}
	return ok
}

// execute resolves a run of a stateful ALU.
func (c scope) execute(op *Op, o *ir.Op) bool {
	ref, ok := c.register(c.where, o.Register, c.copies)
	if !ok {
		return false
	}
	op.Register = ref
	r := &c.Registers[ref.ID]
	op.Run = slices.IndexFunc(r.Actions, func(a ir.RegAction) bool { return a.Name == o.Run })
	if op.Run < 0 {
		var known []string
		for _, a := range r.Actions {
			known = append(known, a.Name)
		}
		c.unknown(c.where, "action of register "+r.Name, o.Run, known)
		return false
	}
	if o.Dst != "" && !c.dst(op, o, 64) {
		return false
	}
	return c.salu(op, o, r)
}

// salu checks the inputs and the index of a stateful ALU.
func (c scope) salu(op *Op, o *ir.Op, r *Register) bool {
	where := c.where + ", " + quoted("register", r.Name)
	if len(o.In) > MaxInputs {
		c.bad.add(RuleALUIn, where, "", "%d inputs; a stateful ALU has %d", len(o.In), MaxInputs)
		return false
	}
	if !c.inputs(op, o) || !c.operand(&op.Index, o.Index, 64, anyWidth) {
		return false
	}
	if !c.indexBits(where, op, o) {
		return false
	}
	ok, given, most := true, len(op.In), r.Bits
	if given == 1 && r.Wide && op.In[0].Bits > r.Bits {
		given, most = MaxInputs, WideBits // its lower and its upper word
	}
	for i, in := range op.In {
		switch {
		case in.Kind != FromField:
			c.bad.add(RuleALUIn, where, "set metadata to it in an earlier stage, or use a constant of the register action",
				"input %s is no field", spell(o.In[i]))
			ok = false
		case in.Bits > most:
			c.bad.add(RuleALUIn, where, "", "input %s has %d bits, the lane %d", spell(o.In[i]), in.Bits, r.Bits)
			ok = false
		}
	}
	if needed := inputsOf(&r.Actions[op.Run]); needed > given {
		c.bad.add(RuleALUIn, where, "give it", "register action %q reads %d inputs, %d are given", o.Run, needed, given)
		ok = false
	}
	return c.index(where, op, o, r) && ok
}

// indexBits lets the index be some bits of its field.
func (c scope) indexBits(where string, op *Op, o *ir.Op) bool {
	switch n, from := o.IndexBits, o.IndexFrom; {
	case n == 0 && from == 0:
	case n <= 0 || from < 0 || n+from > op.Index.Bits || op.Index.Kind != FromField && (from > 0 || op.Index.Kind == Const):
		c.bad.add(RuleForm, where, "take bits that a field has", "%d bits from bit %d on of index %s", n, from, spell(o.Index))
		return false
	default:
		op.Index.Bits, op.IndexFrom = n, from
	}
	return true
}

// index refuses an index with more bits than name the entries: the hash units bring as many. One
// that names an entry behind the last reaches no memory of the register: see package vm.
func (c scope) index(where string, op *Op, o *ir.Op, r *Register) bool {
	switch i := &op.Index; {
	case i.Kind == Const && i.Const < uint64(max(r.Size, 0)):
	case i.Kind == Const:
		c.bad.add(RuleIndex, where, "", "index %d; it has %d entries", i.Const, r.Size)
		return false
	case i.Bits <= max(log2Up(r.Size), 1):
	default:
		c.bad.add(RuleIndex, where, fmt.Sprintf("name %d bits of it", max(log2Up(r.Size), 1)),
			"index %s has %d bits; %d entries are named by %d", spell(o.Index), i.Bits, r.Size, max(log2Up(r.Size), 1))
		return false
	}
	return true
}

// checkWrites refuses two operations that write one field, or one header's
// validity, at once. An operation of another field of a header beside its Validate
// counts after that.
func (c scope) checkWrites(ops []Op) {
	for i := range ops {
		for k := range i {
			a, b := &ops[k], &ops[i]
			if a.Header != NoHeader && a.Header == b.Header {
				c.bad.add(RuleTwice, c.where, "do one of them", "header %q is made valid or invalid twice", c.Headers[a.Header].Name)
			}
			if f, clash := c.overlap(a, b); clash {
				c.bad.add(RuleTwice, c.where, "do one of them", "field %q is written twice", c.Fields[f].Name)
			}
		}
	}
}

// clash finds a field that two references mean in one copy.
func (c scope) clash(a, b Ref) (FieldID, bool) {
	if a.ID == NoField || b.ID == NoField {
		return NoField, false
	}
	for i := range max(c.copies, 1) {
		if a.Of(i) == b.Of(i) {
			return a.Of(i), true
		}
	}
	return NoField, false
}
