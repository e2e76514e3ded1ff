package fit

import (
	"cmp"
	"fmt"
	"slices"
)

// span is bytes of a header one behind another.
type span struct {
	side   Side
	header HeaderID
	first  int // byte
	bytes  int
}

// spans lists the bytes that are in no piece yet: those that something wants, or all.
func (v *vector) spans(wanted func(side Side, h HeaderID, at int) bool) (list []span) {
	for side := range Side(2) {
		for h, bytes := range v.bytes[side] {
			open := false
			for at, p := range bytes {
				yes := p == noPiece && wanted(side, HeaderID(h), at)
				if yes && !open {
					list = append(list, span{side, HeaderID(h), at, 0})
				}
				if open = yes; yes {
					list[len(list)-1].bytes++
				}
			}
		}
	}
	return list
}

// untouched reports whether no table touches what is in a byte of a header.
func (v *vector) untouched(side Side, h HeaderID, at int) bool {
	for f := v.Headers[h].First; f < v.Headers[h].First+FieldID(v.Headers[h].Len); f++ {
		if begin, end := v.Fields[f].span(); begin <= at && at < end && v.needs[side][f] != unused {
			return false
		}
	}
	return true
}

// assignTagalong gives tagalong containers to bytes that no table touches, as far as there are some.
func (v *vector) assignTagalong() {
	for _, r := range v.spans(v.untouched) {
		for r.bytes > 0 {
			size := len(sizes) - 1
			for size >= 0 && (sizes[size] > 8*r.bytes || !v.tag(r, size)) {
				size--
			}
			if size < 0 { // all are taken, or the rest needs smaller ones than there are
				break
			}
			r.first, r.bytes = r.first+sizes[size]/8, r.bytes-sizes[size]/8
		}
	}
}

// tag puts the first bytes of a span into a tagalong container, in a collection of the side.
func (v *vector) tag(r span, size int) bool {
	for number := range v.pool.tagalong[size] {
		owner := &v.pool.collections[number/tagalong[size]]
		if *owner != nobody && *owner != int(r.side) {
			continue
		}
		n := v.addBytes(r.side, r.header, r.first, size)
		if v.put(n, &v.pool.tagalong[size][number], number) {
			*owner, v.pieces[n].held.Tagalong = int(r.side), true
			return true
		}
		v.dropBytes(n)
	}
	return false
}

// dropBytes undoes the latest addBytes.
func (v *vector) dropBytes(n int) {
	p := &v.pieces[n]
	for i := range p.bits / 8 {
		v.bytes[p.side][p.header][p.first+i] = noPiece
	}
	v.pieces = v.pieces[:n]
}

// assignLoose cuts what is left of headers into the containers that are left: the shortest spans
// first, which need small ones, and of each as much as it can into large ones; those that both
// sides may have when a side's own are taken.
func (v *vector) assignLoose() {
	list := v.spans(func(Side, HeaderID, int) bool { return true })
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.bytes, b.bytes) })
	var lacks [2]int
	var first [2]HeaderID
	for _, r := range list {
		for r.bytes > 0 {
			size := v.loose(r)
			if size < 0 {
				if lacks[r.side] == 0 {
					first[r.side] = r.header
				}
				lacks[r.side] += r.bytes
				break
			}
			r.first, r.bytes = r.first+sizes[size]/8, r.bytes-sizes[size]/8
		}
	}
	for side, n := range lacks {
		if n > 0 {
			v.refuse(Side(side), quoted("header", v.Headers[first[side]].Name), fmt.Sprintf("%d bits", 8*n))
		}
	}
}

// loose puts the first bytes of a span into a container, and returns its size; -1: there is none.
func (v *vector) loose(r span) int {
	for _, own := range []bool{true, false} {
		for size := len(sizes) - 1; size >= 0; size-- {
			groups := groupsOf(r.side, size)
			if groups = groups[1:]; own {
				groups = []int{int(r.side)}
			}
			if sizes[size] <= 8*r.bytes && v.inOneOf(r, size, groups) {
				return size
			}
		}
	}
	return -1
}

// inOneOf puts the first bytes of a span into a container of one of some groups.
func (v *vector) inOneOf(r span, size int, groups []int) bool {
	n := v.addBytes(r.side, r.header, r.first, size)
	for _, shared := range []bool{true, false} {
		if slices.ContainsFunc(groups, func(g int) bool { return v.find(n, g, shared) }) {
			return true
		}
	}
	v.dropBytes(n)
	return false
}

// list lists where every field is.
func (v *vector) list() {
	for side := range Side(2) {
		for i := range v.Fields {
			f := &v.Fields[i]
			if f.Header != NoHeader && !v.parsed[side][f.Header] {
				continue
			}
			for bit := 0; bit < f.Bits; {
				n := v.pieceOf(side, FieldID(i), bit)
				if n == noPiece {
					break
				}
				s := v.sliceOf(f, &v.pieces[n], bit)
				f.Slices[side] = append(f.Slices[side], s)
				bit += s.Bits
			}
		}
		for h, n := range v.valid[side] {
			if n != noPiece {
				v.Headers[h].Valid[side].Container = v.pieces[n].held
			}
		}
	}
}

// sliceOf returns the bits of a field from one on that are in a piece.
func (v *vector) sliceOf(f *Field, p *piece, bit int) Slice {
	if f.Header == NoHeader {
		return Slice{p.held, p.low + bit - p.from, bit, p.from + p.bits - bit}
	}
	behind := 8*p.first + p.bits // of the header: the first bit behind the container
	low := behind - (f.Offset + f.Bits - bit)
	return Slice{p.held, low, bit, min(f.Bits-bit, p.bits-low)}
}
