package vm

import (
	"maps"
	"slices"
)

// maxFlat is the most operations of a flat instruction. (assumed)
const maxFlat = 256

// paths takes the operations of an instruction apart into paths, each from the first to its end: behind a
// condition its outcome is known, and whatever asks for it again, or for what follows from it, is left out.
//
//	w = is a below 4?; if w: ...; if w: next is 7       -->  if a is below 4: ...; next is 7
type paths struct {
	from, out []flatOp
	failed    bool // there are too many
}

// path is what is known on the way to an operation.
type path struct {
	at     int
	next   int32               // instruction
	same   map[uint8]flatValue // what a wire is equal to
	ranges map[uint8]flatOp    // what has made a wire that says whether something is in a range
	asked  []flatOp            // conditions: on says whether they hold
	loads  []flatOp            // of LMEM into wires
}

// pathsOf returns the paths of operations, of an instruction that leads to next by itself; nil: there are too many.
func pathsOf(ops []flatOp, next int32) []flatOp {
	p := paths{from: ops}
	p.follow(path{next: next, same: map[uint8]flatValue{}, ranges: map[uint8]flatOp{}})
	if p.failed {
		return nil
	}
	return needed(p.out)
}

func (p *paths) emit(o flatOp) { p.out = append(p.out, o) }

// follow emits a path from an operation to its end, and those that leave it.
func (p *paths) follow(w path) {
	for !p.failed {
		if p.failed = len(p.out) > maxFlat; w.at == len(p.from) {
			p.emit(flatOp{kind: flatEnd, at: w.next})
			return
		}
		o := p.from[w.at]
		w.at++
		o.flatValue, o.y = w.value(o.flatValue), w.value(o.y)
		switch o.kind {
		case flatJump:
			w.at = int(o.at)
		case flatNext:
			w.next, w.at = o.at, int(o.width)
		case flatCall:
			if w.next >= callFlag && w.next != toExit {
				p.emit(flatOp{kind: flatCall, at: w.next})
				w.next = -1
			}
		case flatIf, flatCompare:
			p.condition(&w, o)
		default:
			p.emit(w.do(o))
		}
	}
}

// condition goes on behind a condition: on the path where it leads, if that is known, else on both.
func (p *paths) condition(w *path, o flatOp) {
	if in, ok := w.ranges[o.reg]; ok && o.kind == flatIf && o.shift == 0 && o.add == 0 && o.from == 0 && o.more == 0 && o.value&1 != 0 {
		in.kind, in.at, in.on = flatIf, o.at, in.on != o.on // it asks whether the wire is 0
		o = in
	}
	jumps, known := w.outcome(&o)
	if !known {
		at := len(p.out)
		p.emit(o)
		stays := w.fork()
		stays.learn(o, !o.on)
		p.follow(stays)
		p.out[at].at = int32(len(p.out))
		w.learn(o, o.on)
		jumps = true
	}
	if jumps {
		w.at = int(o.at)
	}
}

func (w *path) fork() path {
	out := *w
	out.same, out.ranges = maps.Clone(w.same), maps.Clone(w.ranges)
	out.asked, out.loads = slices.Clone(w.asked), slices.Clone(w.loads)
	return out
}

// value returns what a value is equal to.
func (w *path) value(v flatValue) flatValue {
	s, ok := w.same[v.reg]
	switch {
	case !ok || v.shift != 0 || v.add != 0:
		return v
	case s.fixed():
		return flatConst(s.add & s.value & v.value)
	}
	s.value &= v.value
	return s
}

// outcome returns whether a jump is done, if that is known.
func (w *path) outcome(o *flatOp) (jumps, known bool) {
	if o.kind == flatIf && o.fixed() {
		return (o.add&o.value-o.from <= o.more) == o.on, true
	}
	for i := range w.asked {
		a := &w.asked[i]
		if a.kind == o.kind && a.flatValue == o.flatValue && a.y == o.y && a.op == o.op && a.from == o.from && a.more == o.more {
			return a.on == o.on, true
		}
	}
	return false, false
}

// learn notes whether the comparison of a jump holds.
func (w *path) learn(o flatOp, holds bool) {
	o.on = holds
	w.asked = append(w.asked, o)
}

// do notes what is known behind an operation, and returns it.
func (w *path) do(o flatOp) flatOp {
	switch {
	case o.kind == flatStore || o.kind == flatStoreBit:
		w.loads = nil
	case o.kind > flatLoadAt:
	case o.to < wireFile:
		w.forget(o.to)
	default:
		w.forget(o.to)
		w.define(&o)
	}
	return o
}

// define notes what a wire is.
func (w *path) define(o *flatOp) {
	switch o.kind {
	case flatMove:
		w.same[o.to] = o.flatValue
	case flatWithin:
		w.ranges[o.to] = *o
	case flatLoad:
		for i := range w.loads {
			if l := &w.loads[i]; l.at == o.at && l.flatValue == o.flatValue {
				*o = with(flatOp{to: o.to, mask: o.mask}, whole(l.to))
				w.same[o.to] = o.flatValue
				return
			}
		}
		w.loads = append(w.loads, *o)
	}
}

// forget drops what is known by a register or wire that is written.
func (w *path) forget(reg uint8) {
	reads := func(o flatOp) bool { return o.reg == reg || o.y.reg == reg }
	delete(w.same, reg)
	delete(w.ranges, reg)
	maps.DeleteFunc(w.same, func(_ uint8, v flatValue) bool { return v.reg == reg })
	maps.DeleteFunc(w.ranges, func(_ uint8, o flatOp) bool { return reads(o) })
	w.asked = slices.DeleteFunc(w.asked, reads)
	w.loads = slices.DeleteFunc(w.loads, func(o flatOp) bool { return o.to == reg })
}

// needed returns the operations without those whose result nothing reads: wires end with the instruction.
func needed(ops []flatOp) []flatOp {
	live, place := make([]uint64, len(ops)+1), make([]int32, len(ops)+1)
	for i := len(ops) - 1; i >= 0; i-- {
		o := &ops[i]
		l := live[i+1]
		switch o.kind {
		case flatEnd:
			l = 0
		case flatIf, flatCompare:
			l |= live[o.at]
		}
		place[i] = 1
		if o.kind <= flatLoadAt && o.to >= wireFile {
			if l>>o.to&1 == 0 && o.kind != flatLoadAt {
				place[i] = 0
			}
			l &^= 1 << o.to
		}
		if place[i] != 0 {
			l |= 1<<o.reg | 1<<o.y.reg
		}
		live[i] = l
	}
	return compact(ops, place)
}

// compact returns the operations that are marked.
func compact(ops []flatOp, place []int32) (out []flatOp) {
	n := int32(0)
	for i, marked := range place {
		place[i] = n
		n += marked
	}
	for i := range ops {
		o := ops[i]
		if o.kind == flatIf || o.kind == flatCompare {
			o.at = place[o.at]
		}
		if place[i+1] != place[i] {
			out = append(out, o)
		}
	}
	return out
}
