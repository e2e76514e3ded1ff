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
	index    vm.Index    // of the first copy, and so of all
	entries  uint64      // that the register has
	upper    int         // bytes from a lane of an entry to the next
	lanes    int         // of an entry
	first    int         // byte of the first copy in a lane
	copies   []vm.Action // one by one
	unless   []exception
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
	laneClamped // added, and an end of the range where that is left
	laneMapped  // element by element
)

// compileVectors returns the vectors of a table by action; nil: it has none.
func compileVectors(p *vm.Pipe, id fit.TableID) (out []*vector) {
	c := p.Code()
	t := &c.Program().Tables[id]
	if t.Copies < 2 {
		return nil
	}
	found := false
	out = make([]*vector, len(t.Actions))
	for i := range out {
		out[i] = compileVector(p, t, c.Actions(id, i))
		found = found || out[i] != nil
	}
	if !found {
		return nil
	}
	return out
}

// compileVector returns the action of a table with copies as one operation, or nil
// where it has to be done copy by copy.
func compileVector(p *vm.Pipe, t *fit.Table, copies []vm.Action) *vector {
	a := copies[0]
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
		first: laneBytes * o.Register.First, index: o.Access.Index, copies: copies,
	}
	if !v.arrays(c, o, t.Copies) || !v.oneIndex(o, t.Copies) || !v.program(&r.Actions[o.Run]) {
		return nil
	}
	if len(v.unless) > 0 && o.Index.Kind == fit.FromParam {
		return nil // copies that are done one by one would not know the arguments
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

// exception is a comparison of the stateful ALU: of a lane of the entry as it was, or of an input, with a
// constant. Where it holds for a copy, all are done one by one.
type exception struct {
	lane  int // of the entry; -1: of an input
	in    int
	value uint32
}

// except takes a comparison, if it is one with a constant that few values are equal to.
func (v *vector) except(c *ir.Compare) bool {
	if c == nil {
		return true
	}
	x := exception{lane: -1, in: inputOf(c.Left), value: uint32(c.Const)}
	switch {
	case c.Op != ir.Equal || c.Right != ir.Nothing && c.Right != ir.Zero:
		return false
	case c.Left == ir.Lo:
		x.lane = 0
	case c.Left == ir.Hi && v.lanes == 2:
		x.lane = 1
	case x.in < 0 || !v.in[x.in].on:
		return false
	}
	v.unless = append(v.unless, x)
	return true
}

// program takes what the stateful ALU does where no comparison holds, if it is among what a vector
// can do.
func (v *vector) program(from *ir.RegAction) (ok bool) {
	if !v.except(from.A) || !v.except(from.B) {
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
			return v.add(u.Y, laneAdded)
		case u.Op == ir.Add && u.Y == own:
			return v.add(u.X, laneAdded)
		case u.Op == ir.SatAddSigned && u.X == own:
			return v.add(u.Y, laneClamped)
		case u.Op == ir.SatAddSigned && u.Y == own:
			return v.add(u.X, laneClamped)
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

func (v *vector) add(x ir.Term, op laneOp) (lane, bool) {
	switch i := inputOf(x); {
	case x == ir.Zero:
		return lane{}, true
	case i >= 0 && v.in[i].on:
		return lane{op: op, in: i}, true
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

// executeAll does the access of all copies.
func (v *vector) executeAll(r *Runner, s *vm.Pass) { v.execute(r, s, 0, len(v.copies)) }

// execute does the access of copies that follow each other. What goes to the packet is read as
// the output says, before or after the update, and written last: it may be an input.
func (v *vector) execute(r *Runner, s *vm.Pass, from, to int) {
	i, some := v.index.Entry(s), part{laneBytes * from, laneBytes * (to - from)}
	if i >= v.entries {
		r.pipe.CountBeyond(to - from)
		v.deliver(s, nil, some)
		return
	}
	at := int(i)*v.upper*v.lanes + v.first + some.at
	if len(v.unless) > 0 && v.excepted(r, s, at, some) {
		for _, a := range v.copies[from:to] {
			s.Do(a, nil)
		}
		return
	}
	var out []byte
	if v.out >= 0 {
		out = v.register[at+v.out*v.upper:][:some.bytes]
		if !v.after && v.do[v.out].op != laneKept {
			r.lane = append(r.lane[:0], out...)
			out = r.lane
		}
	}
	for n := range v.lanes {
		do := &v.do[n]
		var in []byte
		if do.reads() {
			in = r.read(s, &v.in[do.in], some)
		}
		do.change(v.register[at+n*v.upper:][:some.bytes], in)
	}
	v.deliver(s, out, some)
}

// part is the bytes of some copies, in a lane or an array.
type part struct{ at, bytes int }

// excepted reports whether a comparison holds for some copy.
func (v *vector) excepted(r *Runner, s *vm.Pass, at int, some part) bool {
	for i := range v.unless {
		x := &v.unless[i]
		b := []byte(nil)
		if x.lane >= 0 {
			b = v.register[at+x.lane*v.upper:][:some.bytes]
		} else {
			b = r.read(s, &v.in[x.in], some)
		}
		if vec.HasBE(b, ^uint32(0), x.value) {
			return true
		}
	}
	return false
}

// reads reports whether the update takes an input.
func (l *lane) reads() bool { return l.op >= laneSet }

// change does the update of a lane.
func (l *lane) change(b, in []byte) {
	switch l.op {
	case laneCleared:
		clear(b)
	case laneSet:
		copy(b, in)
	case laneAdded:
		vec.AddBE(b, in)
	case laneClamped:
		vec.AddClampBE(b, in)
	case laneMapped:
		for at := 0; at < len(b); at += laneBytes {
			own, other := b[at:at+laneBytes], in[at:at+laneBytes]
			binary.BigEndian.PutUint32(own, l.apply(binary.BigEndian.Uint32(own), binary.BigEndian.Uint32(other)))
		}
	}
}

// deliver writes the output, zeros for nil, unless its header is not valid.
func (v *vector) deliver(s *vm.Pass, out []byte, some part) {
	if !v.dst.on || !s.Valid(fit.HeaderID(v.dst.head)) {
		return
	}
	dst := s.Bytes(v.dst.head, v.dst.off+some.at)[:some.bytes]
	if out == nil {
		clear(dst)
		return
	}
	copy(dst, out)
}

// read returns a part of an array; zeros of a header that is not valid.
func (r *Runner) read(s *vm.Pass, a *span, some part) []byte {
	if !s.Valid(fit.HeaderID(a.head)) {
		return r.zeros[:some.bytes]
	}
	return s.Bytes(a.head, a.off+some.at)[:some.bytes]
}
