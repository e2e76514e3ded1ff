package vec

import "encoding/binary"

// AddClampBE adds src to dst: both are big-endian int32, sums beyond the range are its end. Unlike
// [AddSatBE] it takes back from there what is added with the other sign.
func AddClampBE(dst, src []byte) {
	checkWire("AddClampBE", len(dst), len(src))
	addEnds(dst, src, addClamp)
}

// HasBE reports whether some element of b, which are big-endian words of 32 bits, is a value in the
// bits of a mask.
func HasBE(b []byte, mask, value uint32) bool {
	checkWire("HasBE", len(b), len(b))
	const low = ^uint64(signs)
	masks, values := uint64(mask)<<32|uint64(mask), uint64(value&mask)<<32|uint64(value&mask)
	i := 0
	for ; i <= len(b)-pair; i += pair {
		// A half of x that is not 0 sets its sign bit, in one way or the other.
		x := binary.BigEndian.Uint64(b[i:i+pair:i+pair])&masks ^ values
		if (x&low+low|x)&signs != signs {
			return true
		}
	}
	return i < len(b) && binary.BigEndian.Uint32(b[i:])&mask == value&mask
}
