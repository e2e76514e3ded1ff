package vec

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"pgregory.net/rapid"
)

// The oracle works on the bits of one element, in types wide enough that
// nothing is lost before the one rounding or clamping that the operation names.

func wantAdd(d, s, _ uint32) uint32 { return uint32(int64(int32(d)) + int64(int32(s))) }

// wantAddSat spells the rule out: what is an end of the range stays one, dst before src.
func wantAddSat(d, s, _ uint32) uint32 {
	for _, v := range []uint32{d, s} {
		if v == 0x7fffffff || v == 0x80000000 {
			return v
		}
	}
	switch sum := int64(int32(d)) + int64(int32(s)); {
	case sum > math.MaxInt32:
		return 0x7fffffff
	case sum < math.MinInt32:
		return 0x80000000
	default:
		return uint32(sum)
	}
}

func wantCopy(_, s, _ uint32) uint32 { return s }

// wantAxpy uses float64: the product of two float32 is exact there, and a sum
// rounded to 53 and then to 24 bits is the sum rounded to 24 bits, as 53 is at
// least 2*24+2 (Figueroa, "When is double rounding innocuous?", 1995).
func wantAxpy(d, s, a uint32) uint32 {
	wide := func(bits uint32) float64 { return float64(math.Float32frombits(bits)) }
	product := float32(wide(a) * wide(s))
	sum := float32(wide(d) + float64(product))
	if math.IsNaN(float64(sum)) {
		return 0x7fc00000
	}
	return math.Float32bits(sum)
}

// special holds bit patterns that are extremes as int32 or as float32.
var special = []uint32{
	0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, // int32: 0, 1, max, min, min+1, -1; float32: zeros, denormals, NaNs
	0x20000000, 0xdfffffff, 0x1fffffff, 0xe0000000, // int32: about the quarters of the range
	0x40000000, 0xc0000000, 0x3fffffff, 0x00ff00ff, // int32: halves of the range, carries across bytes; float32: 2, -2
	0x3f800000, 0xbf800000, 0x3f800001, // 1, -1, the float after 1
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, // infinities, quiet NaNs, a signalling NaN
	0x007fffff, 0x807fffff, 0x00800000, 0x80800000, // the largest denormals, the smallest normals
	0x7f7fffff, 0xff7fffff, // the largest finite numbers
}

// drawInput draws up to 200 elements, half of them special.
func drawInput(t *rapid.T) input {
	word := rapid.OneOf(rapid.SampledFrom(special), rapid.Uint32())
	n := rapid.IntRange(0, 200).Draw(t, "elements")
	words := rapid.SliceOfN(word, n, n)
	off := rapid.IntRange(0, 3)
	return input{
		dst:    words.Draw(t, "dst"),
		src:    words.Draw(t, "src"),
		a:      word.Draw(t, "a"),
		dstOff: off.Draw(t, "dst offset"),
		srcOff: off.Draw(t, "src offset"),
	}
}

// margin is how many canaries stand before and behind a body: more than the
// bytes of one unrolled turn of the widest loop.
const margin = 320

// canary is the byte of a margin; a lane of it is a plain number in any type.
const canary = 0xa5

// wire is a big-endian byte slice among canaries.
type wire struct {
	body       []byte
	head, tail []byte
}

func newWire(words []uint32, off int) wire {
	size := elem * len(words)
	buf := bytes.Repeat([]byte{canary}, margin+off+size+margin)
	w := wire{buf[margin+off:][:size:size], buf[:margin+off], buf[margin+off+size:]}
	for i, v := range words {
		binary.BigEndian.PutUint32(w.body[elem*i:], v)
	}
	return w
}

// read returns the elements, having checked that the canaries live.
func (w wire) read(t rapid.TB) []uint32 {
	t.Helper()
	other := func(b byte) bool { return b != canary }
	if slices.ContainsFunc(w.head, other) || slices.ContainsFunc(w.tail, other) {
		t.Fatalf("bytes around the slice changed: before % x, behind % x", w.head, w.tail)
	}
	words := make([]uint32, len(w.body)/elem)
	for i := range words {
		words[i] = binary.BigEndian.Uint32(w.body[elem*i:])
	}
	return words
}

func (w wire) mustHold(t rapid.TB, words []uint32) {
	t.Helper()
	if got := w.read(t); !slices.Equal(got, words) {
		t.Fatalf("src changed from %#x to %#x", words, got)
	}
}

// lane says how a host type and its bits convert.
type lane[T any] struct {
	from func(uint32) T
	bits func(T) uint32
}

var (
	asInt32   = lane[int32]{func(b uint32) int32 { return int32(b) }, func(v int32) uint32 { return uint32(v) }}
	asFloat32 = lane[float32]{math.Float32frombits, math.Float32bits}
)

// host is a slice in host order among canaries.
type host[T any] struct {
	lane       lane[T]
	body       []T
	head, tail []T
}

func newHost[T any](l lane[T], words []uint32, off int) host[T] {
	const around = margin / elem
	n := len(words)
	buf := slices.Repeat([]T{l.from(canary)}, around+off+n+around)
	h := host[T]{l, buf[around+off:][:n:n], buf[:around+off], buf[around+off+n:]}
	for i, w := range words {
		h.body[i] = l.from(w)
	}
	return h
}

// read returns the elements, having checked that the canaries live.
func (h host[T]) read(t rapid.TB) []uint32 {
	t.Helper()
	other := func(v T) bool { return h.lane.bits(v) != canary }
	if slices.ContainsFunc(h.head, other) || slices.ContainsFunc(h.tail, other) {
		t.Fatalf("elements around the slice changed: before %v, behind %v", h.head, h.tail)
	}
	words := make([]uint32, len(h.body))
	for i, v := range h.body {
		words[i] = h.lane.bits(v)
	}
	return words
}

func (h host[T]) mustHold(t rapid.TB, words []uint32) {
	t.Helper()
	if got := h.read(t); !slices.Equal(got, words) {
		t.Fatalf("src changed from %#x to %#x", words, got)
	}
}
