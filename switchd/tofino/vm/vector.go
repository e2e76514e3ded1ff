package vm

import (
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// vector is one access to all copies of a register at one index, with arrays of
// headers as inputs and output.
type vector struct {
	register int
	first    int // byte of the first copy in a lane
	bytes    int // of all copies that take part, in a lane
	index    index
	in       [2]span
	lanes    [2]lane
	out      term
	dst      span
}

// span is an array of 32-bit fields of a header.
type span struct {
	on        bool
	head, off int
}

// lane is what becomes of a lane: with its bytes, or as it is.
type lane struct {
	op laneOp
	in int // input
}

type laneOp uint8

const (
	laneKept laneOp = iota
	laneCleared
	laneSet
	laneAdded
)

// compileVector returns the action of a table with copies as one operation, or nil
// where it has to be done copy by copy.
func (c *Code) compileVector(t *fit.Table, a *fit.Action) *vector {
	if c.oneByOne || t.Copies < 2 || len(a.Do) != 1 || a.Do[0].Kind != ir.Execute {
		return nil
	}
	o := &a.Do[0]
	r := &c.prog.Registers[o.Register.ID]
	if o.Register.Step != 1 || r.Bits != 32 || o.Register.First+t.Copies > r.Copies {
		return nil
	}
	v := &vector{register: int(o.Register.ID), first: 4 * o.Register.First, bytes: 4 * t.Copies}
	ok := c.vectorArrays(v, o, t.Copies) && c.vectorIndex(v, o, t.Copies) && v.program(&r.Actions[o.Run], r.Lanes)
	if !ok {
		return nil
	}
	return v
}

// vectorArrays finds the arrays of an access.
func (c *Code) vectorArrays(v *vector, o *fit.Op, copies int) (ok bool) {
	for i, in := range o.In {
		if in.Kind != fit.FromField {
			continue // no program of lanes reads it
		}
		if v.in[i], ok = c.span(in.Field, copies); !ok {
			return false
		}
	}
	if o.Dst.ID == fit.NoField {
		return true
	}
	v.dst, ok = c.span(o.Dst, copies)
	return ok
}

// span returns the array that the copies of a field are.
func (c *Code) span(r fit.Ref, copies int) (span, bool) {
	if r.Step != 1 {
		return span{}, false
	}
	first := &c.fields[r.ID]
	for i := range copies {
		f := &c.fields[r.Of(i)]
		if f.kind != inWord32 || f.head != first.head || f.off != first.off+int32(4*i) {
			return span{}, false
		}
	}
	return span{true, int(first.head), int(first.off)}, true
}

// vectorIndex compiles the index, which no copy may change.
func (c *Code) vectorIndex(v *vector, o *fit.Op, copies int) bool {
	if x := o.Index; x.Kind == fit.FromField {
		if x.Field.Step != 0 || o.Dst.ID != fit.NoField && x.Field.ID >= o.Dst.ID && x.Field.ID <= o.Dst.Of(copies-1) {
			return false
		}
	}
	v.index = c.index(o, 0)
	return true
}

// program takes what the stateful ALU does, if it is among what a vector can do.
func (v *vector) program(from *ir.RegAction, lanes int) (ok bool) {
	if from.A != nil || from.B != nil {
		return false
	}
	for i, list := range [2][]ir.Update{from.Lo, from.Hi} {
		if i < lanes {
			if v.lanes[i], ok = v.update(list, [2]ir.Term{ir.Lo, ir.Hi}[i]); !ok {
				return false
			}
		}
	}
	v.out = termZero
	for _, o := range from.Out {
		if o.If&1 != 0 {
			v.out = termOf(o.Value)
			break
		}
	}
	switch v.out {
	case termZero, termLo, termNewLo:
		return true
	case termHi, termNewHi:
		return lanes == 2
	}
	return false
}

// update returns what the first update without a condition does to a lane.
func (v *vector) update(list []ir.Update, own ir.Term) (lane, bool) {
	for _, u := range list {
		if u.If&1 == 0 {
			continue
		}
		switch {
		case u.Op == ir.Set:
			return v.set(u.X, own)
		case u.Op == ir.Add && u.X == own:
			return v.add(u.Y)
		case u.Op == ir.Add && u.Y == own:
			return v.add(u.X)
		}
		return lane{}, false
	}
	return lane{}, true
}

func (v *vector) set(x, own ir.Term) (lane, bool) {
	switch i := inputOf(x); {
	case x == own:
		return lane{}, true
	case x == ir.Zero:
		return lane{op: laneCleared}, true
	case i >= 0 && v.in[i].on:
		return lane{laneSet, i}, true
	}
	return lane{}, false
}

func (v *vector) add(x ir.Term) (lane, bool) {
	switch i := inputOf(x); {
	case x == ir.Zero:
		return lane{}, true
	case i >= 0 && v.in[i].on:
		return lane{laneAdded, i}, true
	}
	return lane{}, false
}

// inputOf returns the number of an input, or -1.
func inputOf(t ir.Term) int {
	switch t {
	case ir.In0:
		return 0
	case ir.In1:
		return 1
	}
	return -1
}

// execute does the access. What goes to the packet is read as the output says,
// before or after the update, and written last: it may be an input.
func (v *vector) execute(s *Pass) {
	r := &s.pipe.registers[v.register]
	i := s.at(&v.index)
	if i >= uint64(r.size) {
		v.deliver(s, nil)
		return
	}
	at := int(i)*r.entry + v.first
	lo, hi := r.data[at:at+v.bytes], r.data[at:at+v.bytes]
	if r.lanes == 2 {
		hi = r.data[at+r.lane2:][:v.bytes]
	}
	var out []byte
	switch v.out {
	case termLo:
		out = v.before(s, lo, 0)
	case termHi:
		out = v.before(s, hi, 1)
	case termNewLo:
		out = lo
	case termNewHi:
		out = hi
	}
	v.change(s, lo, 0)
	v.change(s, hi, 1)
	v.deliver(s, out)
}

// before returns a lane as it is before the update.
func (v *vector) before(s *Pass, b []byte, lane int) []byte {
	if v.lanes[lane].op == laneKept {
		return b
	}
	s.lane = append(s.lane[:0], b...)
	return s.lane
}

func (v *vector) change(s *Pass, b []byte, i int) {
	switch l := &v.lanes[i]; l.op {
	case laneCleared:
		clear(b)
	case laneSet:
		copy(b, v.in[l.in].of(s, v.bytes))
	case laneAdded:
		vec.AddBE(b, v.in[l.in].of(s, v.bytes))
	}
}

// deliver writes the output, zeros for nil, unless its header is not valid.
func (v *vector) deliver(s *Pass, out []byte) {
	if !v.dst.on || !s.valid(v.dst.head) {
		return
	}
	dst := v.dst.of(s, v.bytes)
	if out == nil {
		clear(dst)
		return
	}
	copy(dst, out)
}

// of returns the array; zeros to read of a header that is not valid.
func (a *span) of(s *Pass, n int) []byte {
	if !s.valid(a.head) {
		return s.none[:n]
	}
	return s.from(&s.heads[a.head], a.off)[:n]
}
