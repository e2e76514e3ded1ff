package vm

import "encoding/binary"

// Column is a field of all packets of a run, while their headers stand where they do.
type Column struct {
	mask  uint64
	at    int32 // slot, or place of the first byte; of columnWide below zero in the scratch, as in [head]
	shift uint8
	low   uint8 // bits behind a field of columnWide in its last byte
	kind  columnKind
}

type columnKind uint8

const (
	columnZero    columnKind = iota // of a header that is not there
	columnSlot                      // metadata
	columnBytes                     // of a header in the packet
	columnScratch                   // of a header that was added
	columnWide                      // nine bytes of a header
	columnConst                     // the mask itself
)

// Column returns a field.
func (g *Group) Column(r *Ref) Column { return g.columnShifted(r, 0) }

// columnShifted returns the bits of a field from one on.
func (g *Group) columnShifted(r *Ref, shift uint8) Column {
	switch r.kind {
	case inSlot:
		return Column{mask: ^uint64(0), at: r.Off, shift: shift, kind: columnSlot}
	case inSlice:
		return Column{mask: r.Mask >> shift, at: r.Off, shift: r.Low + shift, kind: columnSlot}
	}
	h := &g.heads[r.Head]
	c := Column{mask: r.Mask >> shift, shift: r.Shift + shift}
	switch {
	case h.pass != g.pass:
	case r.Len > 8:
		if c.at = h.at + r.Off; h.at < 0 {
			c.at = h.at - r.Off
		}
		c.low, c.shift, c.kind = r.Low, shift, columnWide
	case h.at >= 0:
		c.at, c.kind = h.at+r.Off, columnBytes
	default:
		c.at, c.kind = ^h.at+r.Off, columnScratch
	}
	return c
}

// Get returns the value of one packet.
func (c *Column) Get(l *Lane) uint64 {
	switch c.kind {
	case columnSlot:
		return l.Slots[c.at] >> (c.shift & 63) & c.mask
	case columnBytes:
		return binary.BigEndian.Uint64(l.Buf[c.at:]) >> (c.shift & 63) & c.mask
	case columnScratch:
		return binary.BigEndian.Uint64(l.scratch[c.at:]) >> (c.shift & 63) & c.mask
	case columnWide:
		b := l.bytesAt(int(c.at), 0)
		return (binary.BigEndian.Uint64(b)<<(8-c.low) | uint64(b[8]>>c.low)) >> (c.shift & 63) & c.mask
	case columnConst:
		return c.mask
	}
	return 0
}

// Load puts bits of the values of packets into a slot, with more of them set.
func (c *Column) Load(lanes []Lane, slot int, shift uint8, mask, more uint64) {
	if c.kind != columnBytes || c.shift+shift > 63 {
		for i := range lanes {
			l := &lanes[i]
			l.Slots[slot] = c.Get(l)>>(shift&63)&mask | more
		}
		return
	}
	mask &= c.mask >> (shift & 63)
	shift += c.shift
	for i := range lanes {
		l := &lanes[i]
		l.Slots[slot] = binary.BigEndian.Uint64(l.Buf[c.at:])>>(shift&63)&mask | more
	}
}

// Alike reports whether the value of the first packet is some value under a mask, and returns the first packet of which that is
// not so, or is.
func (c *Column) Alike(lanes []Lane, mask, value uint64) (holds bool, other int) {
	holds, other = c.Get(&lanes[0])&mask == value, 1
	switch {
	case c.kind == columnSlot && c.shift == 0:
		mask &= c.mask
		for other < len(lanes) && lanes[other].Slots[c.at]&mask == value == holds {
			other++
		}
	case c.kind == columnBytes && c.shift == 0:
		mask &= c.mask
		for other < len(lanes) && binary.BigEndian.Uint64(lanes[other].Buf[c.at:])&mask == value == holds {
			other++
		}
	default:
		for other < len(lanes) && c.Get(&lanes[other])&mask == value == holds {
			other++
		}
	}
	return holds, other
}

// Bytes returns what a packet has from the place of a header's field on; nil of a header that is not there.
func (c *Column) Bytes(l *Lane) []byte {
	switch c.kind {
	case columnBytes:
		return l.Buf[c.at:]
	case columnScratch:
		return l.scratch[c.at:]
	}
	return nil
}

// Follows reports whether a place is some bytes behind another, in the packet.
func (c *Column) Follows(before *Column, n int) bool {
	return c.kind == columnBytes && before.kind == columnBytes && int(c.at) == int(before.at)+n
}

// Place returns the column of a header's bytes from an offset on, for [Column.Bytes].
func (g *Group) Place(head, off int) Column {
	h := &g.heads[head]
	switch {
	case h.pass != g.pass:
		return Column{}
	case h.at >= 0:
		return Column{mask: ^uint64(0), at: h.at + int32(off), kind: columnBytes}
	}
	return Column{mask: ^uint64(0), at: ^h.at + int32(off), kind: columnScratch}
}

// source returns the column of an input or an index.
func (g *Group) source(x *source) Column {
	switch x.kind {
	case fromSlot, fromField:
		return g.columnShifted(x.field, x.shift)
	}
	return Column{}
}

// Column returns the numbers of entries.
func (x *Index) Column(g *Group) Column {
	if x.kind == fromNone || x.kind == fromParam {
		return Column{mask: x.Entry(&g.Pass), kind: columnConst}
	}
	c := g.source(&x.source)
	c.mask &= x.mask
	return c
}

// Each does one access for each of neighbours, in their order. What it puts out goes to a field; nil: nowhere.
func (a *Access) Each(g *Group, from, to int, dst *Ref) {
	r, u := &g.pipe.registers[a.id], &a.alu
	in0, in1, index := g.source(&a.inputs[0]), g.source(&a.inputs[1]), a.Index.Column(g)
	lanes, slot := g.lanes[from:to], -1
	if dst != nil && dst.kind == inSlot {
		slot = int(dst.Off)
	}
	if slot >= 0 && r.words && u.marks() {
		a.eachMark(g, lanes, slot, dst.Mask)
		return
	}
	var v terms
	for i := range lanes {
		l, out := &lanes[i], uint64(0)
		if at := index.Get(l); at < uint64(r.size) {
			v[termIn0], v[termIn1] = uint32(in0.Get(l))&u.mask, uint32(in1.Get(l))&u.mask
			out = u.access(r, int(at), int(a.lane), &v)
		} else {
			g.pipe.beyond++
		}
		if slot >= 0 {
			l.Slots[slot] = out & dst.Mask
		} else if dst != nil {
			g.SelectLane(l).Put(dst, out)
		}
	}
}

// marks reports whether an ALU sets or clears bits of its input in its lanes, without a condition, and puts out a lane as
// it was: as bitmaps do.
func (u *alu) marks() bool {
	bits := func(o *update, own term, written bool) bool {
		return !written || o.x == own && o.y == termIn0 && (o.op == aluOr || o.op == aluAndNot)
	}
	return u.plain && bits(&u.lo[0], termLo, u.writes[0]) && bits(&u.hi[0], termHi, u.writes[1]) && (u.out.value == termLo || u.out.value == termHi)
}

// eachMark is Each of such an ALU, of a register whose entries are two words.
func (a *Access) eachMark(g *Group, lanes []Lane, slot int, mask uint64) {
	r, u := &g.pipe.registers[a.id], &a.alu
	in, index := g.source(&a.inputs[0]), a.Index.Column(g)
	pick := func(op aluOp, written bool) (set, cleared uint64) {
		switch {
		case !written:
			return 0, 0
		case op == aluOr:
			return ^uint64(0), 0
		}
		return 0, ^uint64(0)
	}
	setLo, clearLo := pick(u.lo[0].op, u.writes[0])
	setHi, clearHi := pick(u.hi[0].op, u.writes[1])
	set, cleared := setLo<<32|setHi&ones(32), clearLo<<32|clearHi&ones(32)
	shift := uint(0)
	if u.out.value == termLo {
		shift = 32
	}
	for i := range lanes {
		l, out := &lanes[i], uint64(0)
		if at := index.Get(l); at < uint64(r.size) {
			b := r.data[8*at:][:8]
			x, old := in.Get(l)&uint64(u.mask), binary.BigEndian.Uint64(b)
			x |= x << 32
			binary.BigEndian.PutUint64(b, (old|x&set)&^(x&cleared))
			out = old >> shift & ones(32)
		} else {
			g.pipe.beyond++
		}
		l.Slots[slot] = out & mask
	}
}

// PutSlot writes a field of a header from a slot.
func (g *Group) PutSlot(r *Ref, lanes []Lane, slot int) {
	h := &g.heads[r.Head]
	if r.InSlot() || r.kind == inSlice || h.pass != g.pass {
		for i := range lanes {
			g.SelectLane(&lanes[i]).Put(r, lanes[i].Slots[slot])
		}
		return
	}
	for i := range lanes {
		l := &lanes[i]
		r.put(l.bytesAt(int(h.at), int(r.Off)), l.Slots[slot]&r.Mask)
	}
}

// SlotColumn returns the column of metadata in a slot.
func SlotColumn(slot int) Column { return Column{mask: ^uint64(0), at: int32(slot), kind: columnSlot} }
