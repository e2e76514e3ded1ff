package vm

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// ref says how a field is read and written.
type ref struct {
	mask  uint64
	off   int32 // of the slot, or of the first byte in the header
	head  int16 // header
	kind  refKind
	bits  uint8
	low   uint8 // bits behind the field in its last byte
	len   uint8 // bytes that the field touches
	shift uint8 // bits behind the field in the eight bytes from its first one on
	id    int32 // of a field of a header
}

type refKind uint8

const (
	inSlot   refKind = iota // metadata and intrinsics: a word of their own
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
func refs(p *fit.Program) (out []ref, slots int) {
	out = make([]ref, len(p.Fields))
	for i := range p.Fields {
		f := &p.Fields[i]
		r := ref{bits: uint8(f.Bits), mask: ones(f.Bits), id: int32(i)}
		if f.Kind == fit.HeaderField {
			r.place(int(f.Header), f.Offset, f.Bits)
		} else {
			r.off = int32(slots)
			slots++
		}
		out[i] = r
	}
	return out, slots
}

// place sets where in a header the field is; offset and size in bits.
func (r *ref) place(head, offset, bits int) {
	end := offset + bits
	r.head, r.off, r.len, r.low = int16(head), int32(offset/8), uint8((end+7)/8-offset/8), uint8(-end&7)
	r.shift = uint8(64 - offset%8 - bits)
	if r.kind = inBits; r.len <= 2 {
		r.kind = [...]refKind{inBits8, inBits16}[r.len-1]
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

// begin returns the first bit of a field of a header.
func (r *ref) begin() int { return 8*(int(r.off)+int(r.len)) - int(r.low) - int(r.bits) }

// ones returns a mask of n bits.
func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// signed returns the number that the low bits of v are in two's complement.
func signed(v uint64, bits uint8) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

// get returns the value of a field; 0 of a header that is not valid.
func (s *Pass) get(r *ref) uint64 {
	if r.kind == inSlot {
		return s.slots[r.off]
	}
	h := &s.heads[r.head]
	if h.pass != s.pass {
		return 0
	}
	b := s.from(h, int(r.off))
	if r.len > 8 {
		return getBits(b[:r.len], r)
	}
	return binary.BigEndian.Uint64(b) >> (r.shift & 63) & r.mask // one way for all: that is faster than to tell their kinds apart
}

// getBits takes a field out of the bytes that it touches, of which there may be nine.
func getBits(b []byte, r *ref) (v uint64) {
	last := len(b) - 1
	for _, c := range b[:last] {
		v = v<<8 | uint64(c)
	}
	return (v<<(8-r.low) | uint64(b[last]>>r.low)) & r.mask
}

// put writes a field; a header that is not valid has none.
func (s *Pass) put(r *ref, v uint64) {
	v &= r.mask
	if r.kind == inSlot {
		s.slots[r.off] = v
		return
	}
	h := &s.heads[r.head]
	if h.pass != s.pass {
		return
	}
	b := s.from(h, int(r.off))
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
		m := byte(r.mask << r.low)
		b[0] = b[0]&^m | byte(v<<r.low)
	case inBits16:
		m := uint16(r.mask << r.low)
		binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^m|uint16(v<<r.low))
	default:
		putBits(b[:r.len], r, v)
	}
}

// putBits writes a field from its last byte to its first, around its neighbours.
func putBits(b []byte, r *ref, v uint64) {
	mask, low := r.mask, r.low
	for i := len(b) - 1; i >= 0; i-- {
		m := byte(mask << low)
		b[i] = b[i]&^m | byte(v<<low)&m
		v, mask, low = v>>(8-low), mask>>(8-low), 0
	}
}
