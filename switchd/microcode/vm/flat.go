package vm

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A flat instruction does the same as its closures: it is a list of operations on registers, wires and LMEM at
// fixed places, without a call for each part of an expression. Values between them stand in wires that the
// instruction has not. Jumps lead forward. A thread that waits for reads does not take it, since the closures
// guard the bytes that those will bring.
type flatOp struct {
	kind        flatKind
	op          isa.Op // of flatCompare
	to, toShift uint8  // register or wire that a result goes to
	flatValue          // x
	y           flatValue
	from, more  uint64 // of a range: its first number and how many follow
	mask        uint64 // of the place of a result
	at          int32  // byte or bit of LMEM, operation, instruction, or issue
	width       int32  // of a field of LMEM
	on          bool   // a jump is done if the comparison comes to that
}

// flatValue is a field of a register or wire to which a constant is added.
type flatValue struct {
	reg, shift uint8
	add, value uint64 // value: mask of the sum
}

func (v *flatValue) get(t *Thread) uint64 {
	return (t.file[v.reg%fileSize]>>(v.shift%64) + v.add) & v.value
}

type flatKind uint8

// Those up to flatLoadAt have a result.
const (
	flatMove     flatKind = iota // x
	flatAdd                      // x + y
	flatSub                      // x - y
	flatAnd                      // x & y
	flatOr                       // x | y
	flatXor                      // x ^ y
	flatLeft                     // x << y
	flatRight                    // x >> y
	flatPair                     // x, then y
	flatWithin                   // 1 if x is in a range, or, without on, if it is not; else 0
	flatLoad                     // field of LMEM within 8 bytes from at on: x says which
	flatLoadBit                  // any other
	flatLoadAt                   // field of LMEM, x bytes further on
	flatStore                    // x to LMEM, within 8 bytes from at on
	flatStoreBit                 // x to any other field
	flatIf                       // to operation at if x is in a range, or, without on, if it is not
	flatCompare                  // to operation at if x and y compare so, or, without on, if they do not
	flatJump                     // to operation at; not on a path
	flatNext                     // the next instruction is at; to operation width; not on a path
	flatIssue                    // issue at, with the arguments that follow
	flatArg                      // x is an argument
	flatCheck                    // end here after a fault
	flatCall                     // follow at, a call or return
	flatEnd                      // the next instruction is at; below zero: where flatCall leads
)

// runFlat does a flat instruction and returns the next one.
func (t *Thread) runFlat(in *instr, pc int32) int32 {
	next, ops := toFault, in.flat
	for i := 0; ; i++ {
		o := &ops[i]
		x := o.get(t)
		switch o.kind {
		case flatMove:
		case flatLoad:
			x = binary.BigEndian.Uint64(t.LMEM[o.at:o.at+8]) >> (o.shift % 64) & o.value
		case flatAdd:
			x = (x + o.y.get(t)) & wrap
		case flatSub:
			x = (x - o.y.get(t)) & wrap
		case flatAnd:
			x &= o.y.get(t)
		case flatOr:
			x |= o.y.get(t)
		case flatXor:
			x ^= o.y.get(t)
		case flatLeft:
			x = shiftLeft(x, o.y.get(t))
		case flatRight:
			x >>= o.y.get(t)
		case flatPair:
			x = x<<isa.FieldBits | o.y.get(t)
		case flatWithin:
			x = truth((x-o.from <= o.more) == o.on)
		case flatLoadBit:
			x = t.loadBits(o.at, o.width)
		case flatLoadAt:
			x = t.loadBits(t.address(x, o.at, o.width), o.width)
		case flatStore:
			b, shift := t.LMEM[o.at:o.at+8], o.toShift%64
			binary.BigEndian.PutUint64(b, binary.BigEndian.Uint64(b)&^(o.mask<<shift)|x&o.mask<<shift)
			continue
		case flatStoreBit:
			t.storeBits(o.at, o.width, x)
			continue
		case flatIf:
			if (x-o.from <= o.more) == o.on {
				i = int(o.at) - 1
			}
			continue
		case flatCompare:
			if Compare(o.op, x, o.y.get(t)) == o.on {
				i = int(o.at) - 1
			}
			continue
		case flatIssue:
			i = t.issueFlat(in, i)
			continue
		case flatEnd:
			if o.at >= 0 {
				return o.at
			}
			return next
		case flatCall:
			if next = t.jump(o.at, pc); next == toFault {
				return toFault
			}
			continue
		default: // flatCheck
			if t.fault != NoFault {
				return toFault
			}
			continue
		}
		r := &t.file[o.to%fileSize]
		*r = *r&^(o.mask<<(o.toShift%64)) | x&o.mask<<(o.toShift%64)
	}
}

// issueFlat prepares an XTXN, and returns the last operation of that.
func (t *Thread) issueFlat(in *instr, i int) int {
	x := &in.issues[in.flat[i].at]
	t.Pending = x.request
	for in.flat[i+1].kind == flatArg {
		i++
		o := &in.flat[i]
		t.Pending.Args[o.to%isa.MaxArgs] = o.get(t)
	}
	x.finish(t)
	return i
}
