package vm

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// lastWord is the last byte at which 8 bytes of LMEM can be read.
const lastWord = isa.LMEMBytes - 8

// A place is where a value is written.
type place struct {
	register bool
	num      uint8 // register
	shift    uint8 // of the field in the register
	width    int32 // bits
	mask     uint64
	bit      int32    // in LMEM
	base     *operand // byte address that is added to bit; nil: none
}

func placeOf(p isa.Place) place {
	switch p := p.(type) {
	case isa.Reg:
		return place{
			register: true, num: p.Num & (isa.Registers - 1), width: int32(p.Width),
			shift: isa.RegisterBits - p.Bit - p.Width, mask: ones(p.Width),
		}
	case isa.LMEM:
		out := place{bit: p.Bit, width: int32(p.Width), mask: ones(p.Width)}
		if p.Base != nil {
			base := compileOperand(p.Base)
			out.base = &base
		}
		return out
	}
	return place{}
}

// ones returns a mask of so many low bits, at most 64.
func ones(width uint8) uint64 { return 1<<width - 1 }

// resolve returns the bit of LMEM where the field starts, 0 for a register.
// Outside LMEM the thread has a fault.
func (p *place) resolve(t *Thread) int32 {
	if p.base == nil {
		return p.bit
	}
	return t.address(p.base.get(t), p.bit, p.width)
}

// address adds a pointer, in bytes, and an offset, in bits.
func (t *Thread) address(base uint64, bit, width int32) int32 {
	at := int64(base)*8 + int64(bit) // base has 32 bits at most
	if uint64(at) > uint64(isa.LMEMBits-width) {
		t.fail(BadLMEM)
		return 0
	}
	return int32(at)
}

// store writes the low bits of a value; at is what resolve has returned.
func (p *place) store(t *Thread, at int32, v uint64) {
	if p.register {
		p.storeRegister(t, v)
		return
	}
	t.storeBits(at, p.width, v)
}

func (p *place) storeRegister(t *Thread, v uint64) {
	r := &t.file[p.num%fileSize]
	*r = *r&^(p.mask<<(p.shift%64)) | v&p.mask<<(p.shift%64)
}

// window returns the byte at which 8 bytes hold a field, and the distance of its
// last bit from theirs. The field has at most 57 bits, or starts at a byte.
func window(at, width int32) (start int, shift uint8) {
	start = min(int(at>>3), lastWord)
	return start, uint8(64 - (int(at) - start*8) - int(width))
}

// narrow reports whether a field lies within 8 bytes.
func narrow(at, width int32) bool { return at&7+width <= 64 }

// loadBits returns a field of 1 to 64 bits that is within LMEM.
func (t *Thread) loadBits(at, width int32) uint64 {
	if !narrow(at, width) {
		return t.loadBits(at, 32)<<(width-32) | t.loadBits(at+32, width-32)
	}
	start, shift := window(at, width)
	return binary.BigEndian.Uint64(t.LMEM[start:start+8]) >> (shift % 64) & ones(uint8(width))
}

// storeBits writes a field of 1 to 64 bits that is within LMEM.
func (t *Thread) storeBits(at, width int32, v uint64) {
	if !narrow(at, width) {
		t.storeBits(at, 32, v>>(width-32))
		t.storeBits(at+32, width-32, v)
		return
	}
	start, shift := window(at, width)
	b, mask := t.LMEM[start:start+8], ones(uint8(width))
	old := binary.BigEndian.Uint64(b)
	binary.BigEndian.PutUint64(b, old&^(mask<<(shift%64))|v&mask<<(shift%64))
}

// compileLMEM reads a field of LMEM. At a fixed address all but the load is
// known here, whatever the field's width and bit offset.
func compileLMEM(m isa.LMEM) func(*Thread) uint64 {
	at, width, mask := m.Bit, int32(m.Width), ones(m.Width)
	switch {
	case m.Base != nil:
		base := compileOperand(m.Base)
		return func(t *Thread) uint64 {
			at := t.address(base.get(t), at, width)
			if t.reads.any {
				t.use(at, width)
			}
			return t.loadBits(at, width)
		}
	case !narrow(at, width):
		return func(t *Thread) uint64 {
			if t.reads.any {
				t.use(at, width)
			}
			return t.loadBits(at, width)
		}
	}
	start, shift := window(at, width)
	return func(t *Thread) uint64 {
		if t.reads.any {
			t.use(at, width)
		}
		return binary.BigEndian.Uint64(t.LMEM[start:start+8]) >> (shift % 64) & mask
	}
}
