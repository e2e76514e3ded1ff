package vec

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func bytesOf(words []uint32) (out []byte) {
	for _, w := range words {
		out = binary.BigEndian.AppendUint32(out, w)
	}
	return out
}

func TestAddClampBE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		var want []uint32
		for i, d := range in.dst {
			sum := int64(int32(d)) + int64(int32(in.src[i]))
			want = append(want, uint32(int32(max(math.MinInt32, min(math.MaxInt32, sum)))))
		}
		got := bytesOf(in.dst)
		if AddClampBE(got, bytesOf(in.src)); !slices.Equal(got, bytesOf(want)) {
			t.Fatalf("%x and %x: %x, want %x", in.dst, in.src, got, want)
		}
	})
}

func TestHasBE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		mask := rapid.SampledFrom([]uint32{0, 1, 0x80000000, 0xffff0000, 0x7fffffff, math.MaxUint32}).Draw(t, "mask")
		value := in.a
		if len(in.dst) > 0 && rapid.Bool().Draw(t, "of an element") {
			value = rapid.SampledFrom(in.dst).Draw(t, "element") ^ rapid.SampledFrom([]uint32{0, 0, 1, 1 << 31}).Draw(t, "difference")
		}
		want := slices.ContainsFunc(in.dst, func(w uint32) bool { return w&mask == value&mask })
		if got := HasBE(bytesOf(in.dst), mask, value); got != want {
			t.Fatalf("%x in %x under %x: %v", value, in.dst, mask, got)
		}
	})
}
