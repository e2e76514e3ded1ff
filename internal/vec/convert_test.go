package vec

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// conversion is one call of each conversion: bits of the elements, the factor or
// divisor, and how many elements behind an aligned address the slices start.
type conversion struct {
	words          []uint32
	f              float64
	dstOff, srcOff int
}

func wantQuantise(word uint32, f float64) int32 {
	r := math.RoundToEven(float64(math.Float32frombits(word)) * f)
	if r >= math.MinInt32 && r <= math.MaxInt32 {
		return int32(r)
	}
	return math.MinInt32
}

func wantMean(word uint32, divisor float64) uint32 {
	return math.Float32bits(float32(float64(int32(word)) / divisor))
}

func wantMaxMagnitude(words []uint32) uint32 {
	top := 0.0
	for _, w := range words {
		if a := math.Abs(float64(math.Float32frombits(w))); a > top {
			top = a
		}
	}
	return math.Float32bits(float32(top))
}

func checkQuantise(t rapid.TB, v *Impl, in conversion) {
	t.Helper()
	src := newHost(asFloat32, in.words, in.srcOff)
	dst := newHost(asInt32, make([]uint32, len(in.words)), in.dstOff)
	marked, want := v.Quantise(dst.body, src.body, in.f), false
	for i, got := range dst.read(t) {
		q := wantQuantise(in.words[i], in.f)
		if int32(got) != q {
			t.Fatalf("%s: %v*%v, element %d of %d, became %d, want %d", v.Name, src.body[i], in.f, i, len(in.words), int32(got), q)
		}
		want = want || q == math.MinInt32
	}
	if marked != want {
		t.Fatalf("%s: %v*%v reported %t, want %t", v.Name, src.body, in.f, marked, want)
	}
	src.mustHold(t, in.words)
}

func checkMean(t rapid.TB, v *Impl, in conversion) {
	t.Helper()
	src := newHost(asInt32, in.words, in.srcOff)
	dst := newHost(asFloat32, make([]uint32, len(in.words)), in.dstOff)
	v.Mean(dst.body, src.body, in.f)
	for i, got := range dst.read(t) {
		if want := wantMean(in.words[i], in.f); got != want {
			t.Fatalf("%s: %d/%v, element %d of %d, became %#x, want %#x", v.Name, src.body[i], in.f, i, len(in.words), got, want)
		}
	}
	src.mustHold(t, in.words)
}

func checkMaxMagnitude(t rapid.TB, v *Impl, in conversion) {
	t.Helper()
	src := newHost(asFloat32, in.words, in.srcOff)
	if got, want := v.MaxMagnitude(src.body), wantMaxMagnitude(in.words); got != want {
		t.Fatalf("%s: the largest magnitude of %v is %#x, want %#x", v.Name, src.body, got, want)
	}
	src.mustHold(t, in.words)
}

var conversions = []struct {
	name  string
	check func(rapid.TB, *Impl, conversion)
}{
	{"Quantise", checkQuantise},
	{"Mean", checkMean},
	{"MaxMagnitude", checkMaxMagnitude},
}

// factors are those of quantisers, powers of two that meet the limits of int32,
// and what no quantiser passes. Means divide by them.
var factors = []float64{
	1e8, 8e8, 1, 0.5, 1e-3, -1, 1.0 / 3,
	1 << 31, -(1 << 31), math.MaxInt32, math.MaxInt32 + 0.5, 1<<31 + 0.5, 1<<31 + 0.75,
	0x1p-97, 0x1p157, 1e300, 1e-300, math.SmallestNonzeroFloat64, math.MaxFloat64,
	0, math.Inf(1), math.Inf(-1), math.NaN(),
}

// edges are float32 bits whose products with the factors lie around ties and
// around the limits of int32.
func edges() []uint32 {
	words := slices.Clone(special)
	for _, v := range []float32{0.5, 1.5, 2.5, 1 << 30, 1<<31 - 128, 1 << 31, 1<<31 + 256, 1 << 32, 1 << 52, 1 << 53, 21.474836} {
		bits := math.Float32bits(v)
		for _, w := range []uint32{bits - 1, bits, bits + 1} {
			words = append(words, w, w|1<<31)
		}
	}
	return words
}

func drawConversion(t *rapid.T) conversion {
	f := rapid.OneOf(rapid.SampledFrom(factors), rapid.Custom(func(t *rapid.T) float64 {
		return math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
	})).Draw(t, "factor")
	gradient := rapid.Custom(func(t *rapid.T) uint32 {
		return math.Float32bits(rapid.Float32Range(-30, 30).Draw(t, "value"))
	})
	// Within some half units of the limits of int32, as far as float32 has them.
	limit := rapid.Custom(func(t *rapid.T) uint32 {
		r := (1 << 31) + float64(rapid.IntRange(-8, 8).Draw(t, "half units"))/2
		return math.Float32bits(float32(math.Copysign(r, rapid.SampledFrom([]float64{1, -1}).Draw(t, "sign")) / f))
	})
	word := rapid.OneOf(rapid.Uint32(), rapid.SampledFrom(edges()), gradient, limit)
	off := rapid.IntRange(0, 15)
	return conversion{
		words:  rapid.SliceOfN(word, 0, 150).Draw(t, "words"),
		f:      f,
		dstOff: off.Draw(t, "dst offset"),
		srcOff: off.Draw(t, "src offset"),
	}
}

// eachConversion runs one subtest for each variant of each conversion.
func eachConversion(t *testing.T, test func(t *testing.T, check func(rapid.TB, conversion))) {
	for _, v := range variants() {
		for _, c := range conversions {
			t.Run(v.Name+"/"+c.name, func(t *testing.T) {
				test(t, func(t rapid.TB, in conversion) { t.Helper(); c.check(t, &v, in) })
			})
		}
	}
}

func TestConversionsMatchTheOracle(t *testing.T) {
	eachConversion(t, func(t *testing.T, check func(rapid.TB, conversion)) {
		rapid.Check(t, func(t *rapid.T) { check(t, drawConversion(t)) })
	})
}

// Every length up to two turns of the widest loop, from every alignment within a
// cache line.
func TestConversionsOfEveryLength(t *testing.T) {
	eachConversion(t, func(t *testing.T, check func(rapid.TB, conversion)) {
		for n := range 140 {
			in := conversion{f: 1e8, words: make([]uint32, n)}
			for i := range in.words {
				in.words[i] = math.Float32bits(float32(i*i-700) / 64)
			}
			for off := range 16 {
				in.dstOff, in.srcOff = off, (off*7+n)%16
				check(t, in)
			}
		}
	})
}

// One value that does not fit, an infinity, or a NaN among small ones, at each
// place: none is overlooked, whichever way through the loops it goes.
func TestOddOneOut(t *testing.T) {
	eachConversion(t, func(t *testing.T, check func(rapid.TB, conversion)) {
		for n := 1; n <= 70; n++ {
			for at := range n {
				for _, odd := range []uint32{0x4f000000, 0xcf000000, 0xff800000, 0x7fc00000, 0x7f800001} { // 2^31, -2^31, -Inf, NaNs
					words := slices.Repeat([]uint32{0x3fc00000}, n) // 1.5
					words[at] = odd
					check(t, conversion{words: words, f: 1})
				}
			}
		}
	})
}

// Every edge meets every factor, in all lanes.
func TestConversionEdges(t *testing.T) {
	words := edges()
	eachConversion(t, func(t *testing.T, check func(rapid.TB, conversion)) {
		for _, f := range factors {
			for turn := range 8 {
				check(t, conversion{words: slices.Concat(words[turn:], words[:turn]), f: f})
			}
		}
	})
}

// Integers of 24 bits are float32 without rounding, and come back.
func TestMeanAndBack(t *testing.T) {
	for _, v := range variants() {
		sums := []int32{0, 1, -1, 3, 1 << 24, -(1 << 24), 0x00ffffff, 1000003, -7}
		g, q := make([]float32, len(sums)), make([]int32, len(sums))
		v.Mean(g, sums, 1)
		if v.Quantise(q, g, 1) || !slices.Equal(q, sums) {
			t.Errorf("%s: %d came back as %d", v.Name, sums, q)
		}
	}
}
