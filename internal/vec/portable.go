package vec

import (
	"encoding/binary"
	"math"
)

// portable is the variant that runs everywhere and that the others must match
// bit for bit.
func portable() Impl {
	return Impl{
		Name:         "go",
		addBE:        addBE,
		addSatBE:     addSatBE,
		putBE:        putBE,
		getBE:        getBE,
		axpy:         axpy,
		quantise:     quantise,
		mean:         mean,
		maxMagnitude: maxMagnitude,
	}
}

// elem is the size of one element on the wire, in bytes.
const elem = 4

// The loops slice one turn's bytes with a constant length and capacity: the
// compiler then checks bounds once a turn, half as much again in speed.

// pair is the size of the two elements that a turn of addBE takes, in
// bytes.
const pair = 2 * elem

// signs are the sign bits of the two elements in a 64-bit word.
const signs = 1<<63 | 1<<31

// addPair adds the two 32-bit halves of x and y, each wrapping on its own: with
// the sign bits cleared no carry leaves a half, and the sign is a sum without
// carry out.
func addPair(x, y uint64) uint64 {
	return (x&^signs + y&^signs) ^ (x^y)&signs
}

func addBE(dst, src []byte) {
	src = src[:len(dst)]
	i := 0
	for ; i <= len(dst)-pair; i += pair {
		d, s := dst[i:i+pair:i+pair], src[i:i+pair:i+pair]
		binary.BigEndian.PutUint64(d, addPair(binary.BigEndian.Uint64(d), binary.BigEndian.Uint64(s)))
	}
	if i < len(dst) {
		d, s := dst[i:], src[i:]
		binary.BigEndian.PutUint32(d, binary.BigEndian.Uint32(d)+binary.BigEndian.Uint32(s))
	}
}

// spare are the upper two bits of each of the two elements in a 64-bit word.
const spare = 3<<62 | 3<<30

// addSatBE is the loop of all variants: packets have 62 values where they saturate (ATP §3.6).
func addSatBE(dst, src []byte) (saturated bool) { return addEnds(dst, src, addSat) }

// addEnds adds with a sum of two elements that differs from one that wraps at ends of the range
// alone, and reports whether one came to an end.
// Elements whose upper three bits are alike, as those of most gradients are, cannot come to an
// end of the range in one addition. The shift puts each bit beside the next; what it takes from
// one element to the other is not looked at.
func addEnds(dst, src []byte, add func(d, s int32) int32) (ended bool) {
	src = src[:len(dst)]
	i := 0
	for ; i <= len(dst)-pair; i += pair {
		d, s := dst[i:i+pair:i+pair], src[i:i+pair:i+pair]
		x, y := binary.BigEndian.Uint64(d), binary.BigEndian.Uint64(s)
		if ((x^x<<1)|(y^y<<1))&spare == 0 {
			binary.BigEndian.PutUint64(d, addPair(x, y))
			continue
		}
		first, second := add(int32(x>>32), int32(y>>32)), add(int32(x), int32(y))
		binary.BigEndian.PutUint64(d, uint64(uint32(first))<<32|uint64(uint32(second)))
		ended = ended || isEnd(first) || isEnd(second)
	}
	if i < len(dst) {
		d, s := dst[i:], src[i:]
		sum := add(int32(binary.BigEndian.Uint32(d)), int32(binary.BigEndian.Uint32(s)))
		binary.BigEndian.PutUint32(d, uint32(sum))
		ended = ended || isEnd(sum)
	}
	return ended
}

// addSat adds two elements, of which the first that is an end of the range is the sum.
func addSat(d, s int32) int32 {
	switch {
	case isEnd(d):
		return d
	case isEnd(s):
		return s
	}
	return addClamp(d, s)
}

// addClamp adds two elements; a sum beyond the range is its end.
func addClamp(d, s int32) int32 {
	return int32(min(max(int64(d)+int64(s), math.MinInt32), math.MaxInt32))
}

// isEnd reports whether v is the least or the largest int32: only these two are equal to the
// largest but for the sign bit spread over all.
func isEnd(v int32) bool { return v^v>>31 == math.MaxInt32 }

func putBE(dst []byte, src []int32) {
	for i, v := range src {
		binary.BigEndian.PutUint32(dst[elem*i:elem*i+elem:elem*i+elem], uint32(v))
	}
}

func getBE(dst []int32, src []byte) {
	for i := range dst {
		dst[i] = int32(binary.BigEndian.Uint32(src[elem*i : elem*i+elem : elem*i+elem]))
	}
}

// quietNaN is the one NaN that axpy stores: the NaN that arithmetic makes has
// the sign bit set on amd64 and clear on arm64, and which operand's payload
// survives depends on the order of operands in the instruction.
const quietNaN = 0x7fc00000

func axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	nan := math.Float32frombits(quietNaN)
	for i := range dst {
		sum := dst[i] + float32(a*x[i]) // the conversion forbids a fused multiply-add (Go spec, Floating-point operators)
		if sum != sum {
			sum = nan
		}
		dst[i] = sum
	}
}
