package vm

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Ref says how a field is read and written.
type Ref struct {
	Mask  uint64 // of its bits
	Off   int32  // of the slot, or of the first byte in the header
	Head  int16  // header
	kind  refKind
	Bits  uint8
	Low   uint8 // bits behind the field in its last byte, or in its slot
	Len   uint8 // bytes that the field touches; 0 in a slot
	Shift uint8 // bits behind the field in the eight bytes from its first one on
}

// InSlot reports whether the field is metadata, in a slot of its own.
func (r *Ref) InSlot() bool { return r.kind == inSlot }

type refKind uint8

const (
	inSlot   refKind = iota // metadata and intrinsics: a word of their own
	inSlice                 // a slice of such a word
	inByte                  // one whole byte
	inWord16                // big-endian words
	inWord32
	inWord48
	inWord64
	inBits8  // a part of one byte
	inBits16 // a part of two bytes
	inBits   // anything else
)

// refs returns how every field of a program is reached, and the number of slots.
func refs(p *fit.Program) (out []Ref, slots int) {
	out = make([]Ref, len(p.Fields))
	for i := range p.Fields {
		f := &p.Fields[i]
		r := Ref{Bits: uint8(f.Bits), Mask: ones(f.Bits)}
		if f.Kind == fit.HeaderField {
			r.place(int(f.Header), f.Offset, f.Bits)
		} else {
			r.Off = int32(slots)
			slots++
		}
		out[i] = r
	}
	return out, slots
}

// place sets where in a header the field is; offset and size in bits.
func (r *Ref) place(head, offset, bits int) {
	end := offset + bits
	r.Head, r.Off, r.Len, r.Low = int16(head), int32(offset/8), uint8((end+7)/8-offset/8), uint8(-end&7)
	r.Shift = uint8(64 - offset%8 - bits)
	if r.kind = inBits; r.Len <= 2 {
		r.kind = [...]refKind{inBits8, inBits16}[r.Len-1]
	}
	if offset%8 != 0 {
		return
	}
	switch bits {
	case 8:
		r.kind = inByte
	case 16:
		r.kind = inWord16
	case 32:
		r.kind = inWord32
	case 48:
		r.kind = inWord48
	case 64:
		r.kind = inWord64
	}
}

// slice returns some bits of a field.
func (r *Ref) slice(from, bits int) *Ref {
	cut := Ref{Bits: uint8(bits), Mask: ones(bits)}
	if r.InSlot() {
		cut.kind, cut.Off, cut.Low = inSlice, r.Off, uint8(from)
	} else {
		cut.place(int(r.Head), r.begin()+int(r.Bits)-from-bits, bits)
	}
	return &cut
}

// begin returns the first bit of a field of a header.
func (r *Ref) begin() int { return 8*(int(r.Off)+int(r.Len)) - int(r.Low) - int(r.Bits) }

// ones returns a mask of n bits.
func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// signed returns the number that the low bits of v are in two's complement.
func signed(v uint64, bits uint8) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

// Get returns the value of a field; 0 of a header that is not valid.
func (s *Pass) Get(r *Ref) uint64 {
	if r.kind == inSlot {
		return s.Slots[r.Off]
	}
	if r.kind == inSlice {
		return s.Slots[r.Off] >> (r.Low & 63) & r.Mask
	}
	h := &s.heads[r.Head]
	if h.pass != s.pass {
		return 0
	}
	b := s.bytesAt(h, int(r.Off))
	if r.Len > 8 {
		return getBits(b[:r.Len], r)
	}
	return binary.BigEndian.Uint64(b) >> (r.Shift & 63) & r.Mask // one way for all: that is faster than to tell their kinds apart
}

// getBits takes a field out of the bytes that it touches, of which there may be nine.
func getBits(b []byte, r *Ref) (v uint64) {
	last := len(b) - 1
	for _, c := range b[:last] {
		v = v<<8 | uint64(c)
	}
	return (v<<(8-r.Low) | uint64(b[last]>>r.Low)) & r.Mask
}

// Put writes a field; a header that is not valid has none.
func (s *Pass) Put(r *Ref, v uint64) {
	v &= r.Mask
	if r.kind == inSlot {
		s.Slots[r.Off] = v
		return
	}
	if r.kind == inSlice {
		s.Slots[r.Off] = s.Slots[r.Off]&^(r.Mask<<(r.Low&63)) | v<<(r.Low&63)
		return
	}
	h := &s.heads[r.Head]
	if h.pass != s.pass {
		return
	}
	r.put(s.bytesAt(h, int(r.Off)), v)
}

// put writes a field of a header, cut to its bits, from its first byte on.
func (r *Ref) put(b []byte, v uint64) {
	if r.kind == inWord16 {
		binary.BigEndian.PutUint16(b, uint16(v))
		return
	}
	switch r.kind {
	case inByte:
		b[0] = byte(v)
	case inWord32:
		binary.BigEndian.PutUint32(b, uint32(v))
	case inWord48:
		binary.BigEndian.PutUint16(b, uint16(v>>32))
		binary.BigEndian.PutUint32(b[2:], uint32(v))
	case inWord64:
		binary.BigEndian.PutUint64(b, v)
	case inBits8:
		m := byte(r.Mask << r.Low)
		b[0] = b[0]&^m | byte(v<<r.Low)
	case inBits16:
		m := uint16(r.Mask << r.Low)
		binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^m|uint16(v<<r.Low))
	default:
		putBits(b[:r.Len], r, v)
	}
}

// putBits writes a field from its last byte to its first, around its neighbours.
func putBits(b []byte, r *Ref, v uint64) {
	mask, low := r.Mask, r.Low
	for i := len(b) - 1; i >= 0; i-- {
		m := byte(mask << low)
		b[i] = b[i]&^m | byte(v<<low)&m
		v, mask, low = v>>(8-low), mask>>(8-low), 0
	}
}
