package gradient

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

var (
	inf = float32(math.Inf(1))
	nan = float32(math.NaN())
)

// oracle rounds v*f, taken as the float64 product, to the nearest integer with
// big integers, ties to even, and says whether that fits an int32.
func oracle(v float32, f float64) (q int32, fits bool) {
	r := float64(v) * f
	if math.IsNaN(r) {
		return 0, false
	}
	if math.IsInf(r, 0) {
		return int32(math.Copysign(math.MaxInt32, r)), false // callers look at the sign only
	}
	exact := new(big.Rat).SetFloat64(r)
	twice := new(big.Rat).Mul(exact, big.NewRat(2, 1))
	floor := floorOf(exact)
	half := new(big.Rat).Sub(twice, new(big.Rat).SetInt(new(big.Int).Lsh(floor, 1))) // 2*(r-floor), in [0, 2)
	up := half.Cmp(big.NewRat(1, 1)) > 0 || half.Cmp(big.NewRat(1, 1)) == 0 && floor.Bit(0) == 1
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	if !floor.IsInt64() || floor.Int64() > math.MaxInt32 || floor.Int64() < math.MinInt32 {
		return int32(math.Copysign(math.MaxInt32, r)), false
	}
	return int32(floor.Int64()), true
}

func floorOf(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: floor for a positive denominator
}

func anyFloat32(t *rapid.T, label string) float32 {
	switch rapid.IntRange(0, 3).Draw(t, label+" kind") {
	case 0: // every bit pattern
		return math.Float32frombits(rapid.Uint32().Draw(t, label))
	case 1: // ties and their neighbourhood
		return float32(rapid.IntRange(-4000, 4000).Draw(t, label)) / 8
	case 2: // gradients
		return float32(rapid.Float64Range(-30, 30).Draw(t, label))
	}
	return rapid.SampledFrom([]float32{0, nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}).Draw(t, label)
}

func TestQuantiseAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]float64{DefaultFactor, 1, 0.5, 4, 1e-3, BlockFactor(3, 0), BlockFactor(8, -126), BlockFactor(5, 127)}).Draw(t, "factor")
		g := make([]float32, rapid.IntRange(0, 20).Draw(t, "length"))
		for i := range g {
			g[i] = anyFloat32(t, "v")
		}
		q := make([]int32, len(g))
		saturated := Fixed{Factor: f}.Quantise(q, g)
		for i, v := range g {
			want, fits := oracle(v, f)
			if !fits {
				saturated--
			}
			switch {
			case fits && q[i] != want:
				t.Fatalf("%v*%v: %d, want %d", v, f, q[i], want)
			case !fits && v != v && q[i] != 0:
				t.Fatalf("NaN became %d, want 0", q[i])
			case !fits && v == v && (q[i] < 0) != (v < 0):
				t.Fatalf("%v saturated to %d", v, q[i])
			}
		}
		if saturated != 0 {
			t.Fatalf("%d values too many were counted as saturated", saturated)
		}
	})
}

func TestTiesGoToEven(t *testing.T) {
	g := []float32{0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75}
	want := []int32{0, 2, 2, 0, -2, -2, 1, -1}
	q := make([]int32, len(g))
	if n := (Fixed{Factor: 1}).Quantise(q, g); n != 0 {
		t.Errorf("%d values saturated", n)
	}
	for i := range g {
		if q[i] != want[i] {
			t.Errorf("%v became %d, want %d", g[i], q[i], want[i])
		}
	}
}

func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		v    float32
		f    float64
		want int32
		n    int
	}{
		{1, math.MaxInt32, math.MaxInt32, 0},
		{1, math.MaxInt32 + 0.25, math.MaxInt32, 0}, // rounds to the limit, which fits
		{1, math.MaxInt32 + 0.5, math.MaxInt32, 1},  // a tie, up to 2^31
		{1, math.MaxInt32 + 1, math.MaxInt32, 1},
		{-1, -math.MinInt32, math.MinInt32, 0},
		{-1, -math.MinInt32 + 0.5, math.MinInt32, 0}, // a tie, to the even limit
		{-1, -math.MinInt32 + 0.75, math.MinInt32, 1},
		{inf, 1, math.MaxInt32, 1},
		{-inf, 1, math.MinInt32, 1},
		{nan, 1, 0, 1},
		{math.MaxFloat32, 1e300, math.MaxInt32, 1},
		{-math.MaxFloat32, 1e300, math.MinInt32, 1},
	} {
		q := []int32{77}
		if n := (Fixed{Factor: c.f}).Quantise(q, []float32{c.v}); q[0] != c.want || n != c.n {
			t.Errorf("%v*%v: %d with %d saturated, want %d with %d", c.v, c.f, q[0], n, c.want, c.n)
		}
	}
}

// "an example with n = 2": 1.56 and 4.23 under f = 100 add to 579, under f = 10
// to 58 (SwitchML App E).
func TestAppendixEExample(t *testing.T) {
	for f, want := range map[float64]int32{100: 579, 10: 58} {
		q := make([]int32, 2)
		Fixed{Factor: f}.Quantise(q, []float32{1.56, 4.23})
		if sum := q[0] + q[1]; sum != want {
			t.Errorf("f = %v: sum %d, want %d", f, sum, want)
		}
	}
}

func TestZeroFactorIsThatOfATP(t *testing.T) {
	q, g := make([]int32, 1), make([]float32, 1)
	Fixed{}.Quantise(q, []float32{0.25})
	if q[0] != 25_000_000 {
		t.Errorf("0.25 became %d, want 0.25e8", q[0])
	}
	Fixed{}.Mean(g, []int32{75_000_000}, 3)
	if g[0] != 0.25 {
		t.Errorf("mean of three %v, want 0.25", g[0])
	}
}

// "divide the returned aggregated gradient values by the number of aggregated
// sources" (Trio §5).
func TestMeanDividesByWorkers(t *testing.T) {
	for workers := 1; workers <= 255; workers++ {
		g := make([]float32, 1)
		Fixed{Factor: 10}.Mean(g, []int32{int32(30 * workers)}, workers)
		if g[0] != 3 {
			t.Fatalf("%d workers: mean %v, want 3", workers, g[0])
		}
	}
}

func TestExponent(t *testing.T) {
	for _, c := range []struct {
		g    []float32
		want int8
	}{
		{nil, ExponentNone},
		{[]float32{0, float32(math.Copysign(0, -1))}, ExponentNone},
		{[]float32{nan}, ExponentNone},
		{[]float32{1}, 1}, // 2^1 > 1: strictly
		{[]float32{0.99}, 0},
		{[]float32{-4, 3}, 3},
		{[]float32{nan, 0.25, 0}, -1},
		{[]float32{math.SmallestNonzeroFloat32}, -126},
		{[]float32{0x1p-126}, -125},
		{[]float32{0x1p125}, 126},
		{[]float32{0x1p126}, 127},
		{[]float32{math.MaxFloat32}, 127},
		{[]float32{-inf}, 127},
	} {
		if got := Exponent(c.g); got != c.want {
			t.Errorf("Exponent(%v) = %d, want %d", c.g, got, c.want)
		}
	}
}

func TestExponentIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := make([]float32, rapid.IntRange(1, 9).Draw(t, "length"))
		top := 0.0
		for i := range g {
			g[i] = math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
			if a := math.Abs(float64(g[i])); a > top {
				top = a
			}
		}
		e := int(Exponent(g))
		switch {
		case top == 0:
			if e != int(ExponentNone) {
				t.Fatalf("exponent %d of zeros", e)
			}
		case top >= 0x1p127:
			if e != 127 {
				t.Fatalf("exponent %d of %v, want the largest", e, top)
			}
		case math.Ldexp(1, e) <= top:
			t.Fatalf("2^%d is not above %v", e, top)
		case top >= 0x1p-126 && math.Ldexp(1, e-1) > top:
			t.Fatalf("2^%d is above %v too", e-1, top)
		}
	})
}

// sumOfMax returns the sum that a switch would make, without wrapping, of n
// workers' equal values.
func sumOfMax(n int, v float32, f float64) int64 {
	q := make([]int32, 1)
	QuantiseBlock(q, []float32{v}, f)
	return int64(n) * int64(q[0])
}

// "f is set to (2^31-1)/(n 2^m)" (SwitchML §4.6), where the largest value may be
// 2^m itself: for n a power of two above one, n such values sum to 2^31, one
// more than fits (ambiguity switchml.f-overflow). The bound of App E, Theorem 2
// holds there.
func TestPaperFactorOverflows(t *testing.T) {
	for m := -20; m <= 20; m++ {
		v := float32(math.Ldexp(1, m))
		for n := 1; n <= 256; n++ {
			paper := math.Ldexp(math.MaxInt32/float64(n), -m)
			overflows := sumOfMax(n, v, paper) > math.MaxInt32
			if powerOfTwo := n > 1 && n&(n-1) == 0; powerOfTwo && !overflows {
				t.Fatalf("n=%d m=%d: the formula of §4.6 was expected to overflow", n, m)
			}
			if got := sumOfMax(n, v, BlockFactor(n, int8(m))); got > math.MaxInt32 {
				t.Fatalf("n=%d m=%d: n values of 2^m sum to %d", n, m, got)
			}
			if got := sumOfMax(n, -v, BlockFactor(n, int8(m))); got < math.MinInt32 {
				t.Fatalf("n=%d m=%d: n values of -2^m sum to %d", n, m, got)
			}
		}
	}
}

// Whatever the workers' blocks hold, infinities included, sums of a block never
// wrap.
func TestBlockSumsNeverOverflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 256).Draw(t, "workers")
		k := rapid.IntRange(1, 4).Draw(t, "values")
		e := ExponentNone
		blocks := make([][]float32, min(n, 4)) // worker w sends block w mod 4
		for w := range blocks {
			blocks[w] = make([]float32, k)
			for i := range blocks[w] {
				blocks[w][i] = anyFloat32(t, "v")
			}
			e = max(e, Exponent(blocks[w]))
		}
		f := BlockFactor(n, e)
		q, sums := make([]int32, k), make([]int64, k)
		for w := range n {
			QuantiseBlock(q, blocks[w%len(blocks)], f)
			for i := range sums {
				sums[i] += int64(q[i])
			}
		}
		for i, s := range sums {
			if s > math.MaxInt32 || s < math.MinInt32 {
				t.Fatalf("n=%d e=%d: sum %d of element %d does not fit", n, e, s, i)
			}
		}
	})
}

// Finite values never saturate under the agreed factor, and the sum is within
// n/f of the true one (SwitchML App E, Theorem 1).
func TestBlockErrorBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "workers")
		scale := math.Ldexp(1, rapid.IntRange(-140, 120).Draw(t, "scale"))
		values := make([]float32, n)
		exact := 0.0
		for w := range values {
			values[w] = float32(rapid.Float64Range(-1, 1).Draw(t, "v") * scale)
			exact += float64(values[w])
		}
		f := BlockFactor(n, Exponent(values))
		q := make([]int32, n)
		if s := QuantiseBlock(q, values, f); s != 0 {
			t.Fatalf("%d of %v saturated under %v", s, values, f)
		}
		var sum int32
		for _, v := range q {
			sum += v
		}
		if got := float64(sum) / f; math.Abs(got-exact) > float64(n)/f {
			t.Fatalf("sum %v, want %v within %v", got, exact, float64(n)/f)
		}
	})
}

func TestZeroBlock(t *testing.T) {
	f := BlockFactor(5, ExponentNone)
	q, g := []int32{7, 7}, []float32{7, 7}
	if n := QuantiseBlock(q, []float32{0, 0}, f); n != 0 || q[0] != 0 || q[1] != 0 {
		t.Errorf("zeros became %v with %d saturated", q, n)
	}
	MeanBlock(g, q, f, 5)
	if g[0] != 0 || g[1] != 0 {
		t.Errorf("means %v, want zeros", g)
	}
}

// Tensors longer than one run: what saturates is found on both sides of each
// border between runs, and every element is converted.
func TestRunsJoin(t *testing.T) {
	const n = 2*run + 3
	g, q := make([]float32, n), make([]int32, n)
	for i := range g {
		g[i] = float32(i % 1000)
	}
	odd := map[int]int32{0: math.MaxInt32, run - 1: math.MinInt32, run: math.MaxInt32, 2*run - 1: math.MaxInt32, 2 * run: math.MinInt32, n - 1: math.MinInt32}
	for i, limit := range odd {
		g[i] = float32(math.Copysign(1e30, float64(limit)))
	}
	if got := (Fixed{Factor: 2}).Quantise(q, g); got != len(odd) {
		t.Errorf("%d values saturated, want %d", got, len(odd))
	}
	mean := make([]float32, n)
	Fixed{Factor: 2}.Mean(mean, q, 1)
	for i, v := range g {
		limit, saturated := odd[i]
		want := v
		if saturated {
			want = float32(float64(limit) / 2)
		}
		if mean[i] != want {
			t.Fatalf("element %d: %v became %d and then %v, want %v", i, v, q[i], mean[i], want)
		}
	}
}
