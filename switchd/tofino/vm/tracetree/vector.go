package tracetree

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// laneBytes is the width of the lanes that vectors work on.
const laneBytes = 4

// vector is one access to all copies of a register at one index, with arrays of
// headers as inputs and output.
type vector struct {
	register []byte
	index    vm.Index // of the first copy, and so of all
	entries  uint64   // that the register has
	upper    int      // bytes from a lane of an entry to the next
	lanes    int      // of an entry
	first    int      // byte of the first copy in a lane
	bytes    int      // of all copies that take part, in a lane
	in       [2]span
	do       [2]lane
	out      int  // lane that goes to the packet; -1: none, and zeros go
	after    bool // the update
	dst      span
}

// span is an array of 32-bit fields of a header.
type span struct {
	on        bool
	head, off int
	first     fit.FieldID
}

// lane is what becomes of a lane: with its bytes, or as it is.
type lane struct {
	op    laneOp
	in    int                         // input
	apply func(own, in uint32) uint32 // of laneMapped
}

type laneOp uint8

const (
	laneKept laneOp = iota
	laneCleared
	laneSet
	laneAdded
	laneMapped // element by element
)

// compileVectors returns the vectors of a table by action; nil: it has none.
func compileVectors(p *vm.Pipe, id fit.TableID) (out []*vector) {
	c := p.Code()
	t := &c.Program().Tables[id]
	if t.Copies < 2 || !c.MatchesOnce(id) {
		return nil
	}
	found := false
	out = make([]*vector, len(t.Actions))
	for i := range out {
		out[i] = compileVector(p, t, c.Actions(id, i)[0])
		found = found || out[i] != nil
	}
	if !found {
		return nil
	}
	return out
}

// compileVector returns the action of a table with copies as one operation, or nil
// where it has to be done copy by copy.
func compileVector(p *vm.Pipe, t *fit.Table, a vm.Action) *vector {
	if len(a) != 1 || a[0].Kind != ir.Execute {
		return nil
	}
	o := &a[0]
	c := p.Code()
	r := &c.Program().Registers[o.Register.ID]
	if o.Register.Step != 1 || r.Bits != 8*laneBytes || o.Register.First+t.Copies > r.Copies {
		return nil
	}
	v := &vector{
		register: p.Memory(o.Register.ID), entries: uint64(r.Size), upper: laneBytes * r.Copies, lanes: r.Lanes,
		first: laneBytes * o.Register.First, bytes: laneBytes * t.Copies, index: o.Access.Index,
	}
	if !v.arrays(c, o, t.Copies) || !v.oneIndex(o, t.Copies) || !v.program(&r.Actions[o.Run]) {
		return nil
	}
	return v
}

// arrays finds the arrays of an access.
func (v *vector) arrays(c *vm.Code, o *vm.Op, copies int) (ok bool) {
	for i, in := range o.In {
		if v.in[i], ok = spanOf(c, in.Field, copies); !ok {
			return false
		}
	}
	if o.To == nil {
		return true
	}
	v.dst, ok = spanOf(c, o.Dst, copies)
	return ok
}

// spanOf returns the array that the copies of a field are.
func spanOf(c *vm.Code, f fit.Ref, copies int) (span, bool) {
	if f.Step != 1 {
		return span{}, false
	}
	first := c.Ref(f.ID)
	for i := range copies {
		r := c.Ref(f.Of(i))
		if r.InSlot() || r.Bits != 8*laneBytes || r.Len != laneBytes || r.Head != first.Head || r.Off != first.Off+int32(laneBytes*i) {
			return span{}, false
		}
	}
	return span{true, int(first.Head), int(first.Off), f.ID}, true
}

// oneIndex reports whether all copies have the same index: none may change it.
func (v *vector) oneIndex(o *vm.Op, copies int) bool {
	f := o.Index.Field
	return o.Index.Kind != fit.FromField || f.Step == 0 && (o.To == nil || f.ID < o.Dst.ID || f.ID > o.Dst.Of(copies-1))
}

// program takes what the stateful ALU does, if it is among what a vector can do.
func (v *vector) program(from *ir.RegAction) (ok bool) {
	if from.A != nil || from.B != nil {
		return false
	}
	for i, list := range [2][]ir.Update{from.Lo, from.Hi} {
		if i < v.lanes {
			if v.do[i], ok = v.update(list, [2]ir.Term{ir.Lo, ir.Hi}[i]); !ok {
				return false
			}
		}
	}
	value := ir.Zero
	for _, o := range from.Out {
		if o.If&1 != 0 {
			value = o.Value
			break
		}
	}
	v.after = value == ir.NewLo || value == ir.NewHi
	switch value {
	case ir.Lo, ir.NewLo:
		v.out = 0
	case ir.Hi, ir.NewHi:
		v.out = 1
	default:
		v.out = -1
		return value == ir.Zero || value == ir.Nothing
	}
	return v.out < v.lanes
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
		return v.mapped(u, own)
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
		return lane{op: laneSet, in: i}, true
	}
	return lane{}, false
}

func (v *vector) add(x ir.Term) (lane, bool) {
	switch i := inputOf(x); {
	case x == ir.Zero:
		return lane{}, true
	case i >= 0 && v.in[i].on:
		return lane{op: laneAdded, in: i}, true
	}
	return lane{}, false
}

// mapped returns an update that is another operation of a lane and an input, in either order.
func (v *vector) mapped(u ir.Update, own ir.Term) (lane, bool) {
	x, y, apply := inputOf(u.X), inputOf(u.Y), vm.LaneOp(u.Op)
	switch {
	case u.X == own && y >= 0 && v.in[y].on:
		return lane{op: laneMapped, in: y, apply: apply}, true
	case u.Y == own && x >= 0 && v.in[x].on:
		return lane{op: laneMapped, in: x, apply: func(own, in uint32) uint32 { return apply(in, own) }}, true
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
func (v *vector) execute(r *Runner, s *vm.Pass) {
	i := v.index.Entry(s)
	if i >= v.entries {
		r.pipe.CountBeyond(v.bytes / laneBytes)
		v.deliver(s, nil)
		return
	}
	at := int(i)*v.upper*v.lanes + v.first
	var out []byte
	if v.out >= 0 {
		out = v.register[at+v.out*v.upper:][:v.bytes]
		if !v.after && v.do[v.out].op != laneKept {
			r.lane = append(r.lane[:0], out...)
			out = r.lane
		}
	}
	for n := range v.lanes {
		v.change(r, s, v.register[at+n*v.upper:][:v.bytes], &v.do[n])
	}
	v.deliver(s, out)
}

func (v *vector) change(r *Runner, s *vm.Pass, b []byte, l *lane) {
	switch l.op {
	case laneCleared:
		clear(b)
	case laneSet:
		copy(b, r.read(s, &v.in[l.in], v.bytes))
	case laneAdded:
		vec.AddBE(b, r.read(s, &v.in[l.in], v.bytes))
	case laneMapped:
		in := r.read(s, &v.in[l.in], v.bytes)
		for at := 0; at < len(b); at += laneBytes {
			own, other := b[at:at+laneBytes], in[at:at+laneBytes]
			binary.BigEndian.PutUint32(own, l.apply(binary.BigEndian.Uint32(own), binary.BigEndian.Uint32(other)))
		}
	}
}

// deliver writes the output, zeros for nil, unless its header is not valid.
func (v *vector) deliver(s *vm.Pass, out []byte) {
	if !v.dst.on || !s.Valid(fit.HeaderID(v.dst.head)) {
		return
	}
	dst := s.Bytes(v.dst.head, v.dst.off)[:v.bytes]
	if out == nil {
		clear(dst)
		return
	}
	copy(dst, out)
}

// read returns n bytes of an array; zeros of a header that is not valid.
func (r *Runner) read(s *vm.Pass, a *span, n int) []byte {
	if !s.Valid(fit.HeaderID(a.head)) {
		return r.zeros[:n]
	}
	return s.Bytes(a.head, a.off)[:n]
}
