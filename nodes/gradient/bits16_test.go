package gradient

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Two values share a word, and a switch that adds words, which wrap, adds both.
func TestFixed16SumsOfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "workers")
		k := rapid.IntRange(1, 9).Draw(t, "values")
		x := Fixed16{Workers: n}
		limit := (1<<15 - 1) / n
		words, want := make([]int32, (k+1)/2), make([]int32, k)
		for range n {
			q := make([]int32, k)
			for i := range q {
				q[i] = int32(rapid.OneOf(rapid.IntRange(-limit, limit), rapid.SampledFrom([]int{-limit, limit})).Draw(t, "q"))
				want[i] += q[i]
			}
			mine := make([]int32, len(words))
			x.Pack(mine, q)
			for i := range words {
				words[i] += mine[i]
			}
		}
		got := make([]int32, k)
		x.Unpack(got, words)
		if !slices.Equal(got, want) {
			t.Fatalf("sums %v, want %v", got, want)
		}
	})
}

// Under the agreed factor nothing finite saturates, the worst sums fit 16 bits,
// and errors are those of Theorem 1 with rounding to nearest.
func TestFixed16Bounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "workers")
		values := make([]float32, n)
		exact := 0.0
		for w := range values {
			values[w] = float32(rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 1, 0, float64(math.Nextafter32(1, 0))})).Draw(t, "v"))
			exact += float64(values[w])
		}
		x := Fixed16{Workers: n}
		f := x.Factor(Exponent(values))
		q := make([]int32, n)
		if s := x.Quantise(q, values, f); s != 0 {
			t.Fatalf("%d of %v saturated", s, values)
		}
		sum := int32(0)
		for _, v := range q {
			sum += v
		}
		if sum > math.MaxInt16 || sum < math.MinInt16 {
			t.Fatalf("n=%d: sum %d", n, sum)
		}
		if off := math.Abs(float64(sum)/f - exact); off > float64(n)/2/f*(1+1e-9) {
			t.Fatalf("sum is %v off, more than n/2f = %v", off, float64(n)/2/f)
		}
	})
}

// What does not fit its half of a word is cut to a worker's share of it.
func TestFixed16Saturates(t *testing.T) {
	q := make([]int32, 6)
	g := []float32{4, -4, inf, -inf, nan, 1}
	if n := (Fixed16{Workers: 2}).Quantise(q, g, 10000); n != 5 {
		t.Errorf("%d values saturated, want 5", n)
	}
	if want := []int32{16383, -16383, 16383, -16383, 0, 10000}; !slices.Equal(q, want) {
		t.Errorf("%v, want %v", q, want)
	}
}

// IEEE 754 binary16: all 65536 of them are their own nearest, and between any two
// neighbours the nearer is taken, the even one at the middle.
func TestHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		v := float64(FromHalf(h))
		if got := ToHalf(v); got != h {
			t.Fatalf("%#x is %v, and back %#x", h, v, got)
		}
		if got := ToHalf(-v); got != h|1<<15 {
			t.Fatalf("%v becomes %#x", -v, got)
		}
		next := float64(FromHalf(h + 1))
		if h == 0x7bff {
			next = 65536 // the first that is not there
		}
		middle := (v + next) / 2
		even := h + h&1
		for x, want := range map[float64]uint16{middle: even, math.Nextafter(middle, 0): h, math.Nextafter(middle, 1e9): h + 1} {
			if got := ToHalf(x); got != want {
				t.Fatalf("%v becomes %#x, want %#x", x, got, want)
			}
		}
	}
	if got := ToHalf(math.NaN()); got&0x7c00 != 0x7c00 || got&0x3ff == 0 || FromHalf(got) == FromHalf(got) {
		t.Errorf("NaN becomes %#x", got)
	}
	if ToHalf(math.Inf(-1)) != 0xfc00 || !math.IsInf(float64(FromHalf(0xfc00)), -1) {
		t.Error("infinity is another")
	}
}

// The table of the switch loses nothing on the way in, for all that workers send,
// and rounds once on the way out.
func TestHalfTables(t *testing.T) {
	for h := range uint16(0x3c01) { // 0 to 1
		v, ok := HalfToFixed(h)
		if !ok || float64(v) != float64(FromHalf(h))*HalfUnit {
			t.Fatalf("%#x is %d units", h, v)
		}
		if got := FixedToHalf(v); got != h {
			t.Fatalf("%d units become %#x, want %#x", v, got, h)
		}
	}
	for _, h := range []uint16{0x5800, 0x7c00, 0xfc00, 0x7e00, 0x7bff} { // 128, infinities, NaN, the largest
		if v, ok := HalfToFixed(h); ok || v != 0 {
			t.Errorf("%#x is %d units", h, v)
		}
	}
	const most = wire.HalfWorkers * wire.HalfMost
	if got := FixedToHalf(most * HalfUnit); FromHalf(got) != most || HalfAnswer(most*HalfUnit+1) != most*HalfUnit {
		t.Errorf("%d times %d is %v", wire.HalfWorkers, wire.HalfMost, FromHalf(got))
	}
	if largest, ok := HalfToFixed(ToHalf(wire.HalfLimit) - 1); !ok || HalfAnswer(wire.HalfWorkers*largest) != wire.HalfWorkers*largest {
		t.Errorf("%d times the largest value, %d units, overflows", wire.HalfWorkers, largest)
	}
}

// Scaling by a power of two keeps 11 bits of every value down to 2^-14 of the
// largest; below it goes as binary16 does.
func TestHalfPrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.IntRange(-100, 100).Draw(t, "e")
		v := float32(math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "v"), e))
		x := Half{Workers: 8}
		f := x.Factor(int8(e + 1))
		q := make([]int32, 1)
		if x.Quantise(q, []float32{v}, f) != 0 {
			t.Fatalf("%v saturates at 2^%d", v, e+1)
		}
		off := math.Abs(float64(q[0])/f - float64(v))
		if limit := math.Max(math.Abs(float64(v))*0x1p-11, math.Ldexp(1, e+1-25)); off > limit {
			t.Fatalf("%v is off by %v, limit %v", v, off, limit)
		}
	})
	q := make([]int32, 5)
	if n := (Half{}).Quantise(q, []float32{nan, inf, -inf, 3, 0.5}, HalfUnit); n != 4 {
		t.Errorf("%d values saturated, want 4", n)
	}
	if want := []int32{0, HalfUnit, -HalfUnit, HalfUnit, HalfUnit / 2}; !slices.Equal(q, want) {
		t.Errorf("%v, want %v", q, want)
	}
}
