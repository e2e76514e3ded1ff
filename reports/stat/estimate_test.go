package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Values of Student's t as printed tables have them.
func TestTQuantile(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 29: 2.045, 120: 1.980} {
		near(t, "t", tQuantile(freedom), want, 5e-4)
	}
}

func TestMeanByHand(t *testing.T) {
	e := Mean([]float64{2, 4, 4, 4, 5, 5, 7, 9}) // squares of the deviations sum to 32
	near(t, "mean", e.Value, 5, 0)
	near(t, "half-width", e.Half, 2.364624*math.Sqrt(32.0/7)/math.Sqrt(8), 1e-6)
	near(t, "lower end", e.Lo(), 5-e.Half, 0)
	near(t, "upper end", e.Hi(), 5+e.Half, 0)
	if e.N != 8 || !e.Bounded() {
		t.Errorf("estimate %+v", e)
	}
}

func TestRatioByHand(t *testing.T) {
	// R = 12/6 = 2; X - 2Y = 0, 1, -1; sd 1; se = 1 / (sqrt 3 * 2).
	e := RatioOfMeans([]Pair{{2, 1}, {5, 2}, {5, 3}})
	near(t, "ratio", e.Value, 2, 1e-15)
	near(t, "half-width", e.Half, 4.302653/(math.Sqrt(3)*2), 1e-6)
	if e.N != 3 {
		t.Errorf("n is %d", e.N)
	}
}

func TestWarnings(t *testing.T) {
	spread := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 10 + float64(i%2)
		}
		return x
	}
	for _, c := range []struct {
		name string
		e    Estimate
		want string // a part of the only warning, or ""
	}{
		{"nothing", Mean(nil), "no values"},
		{"not a number", Mean([]float64{1, math.NaN()}), "value 1 is NaN"},
		{"infinite", Mean([]float64{math.Inf(-1)}), "value 0 is -Inf"},
		{"one", Mean([]float64{3}), "a single value"},
		{"few", Mean(spread(9)), "only 9 values"},
		{"enough", Mean(spread(10)), ""},
		{"equal", Mean(slices.Repeat([]float64{0.1}, 30)), "no spread at all in 30 values"},
		{"no pairs", RatioOfMeans(nil), "no values"},
		{"denominator zero", RatioOfMeans([]Pair{{1, -1}, {1, 1}}), "denominator of the ratio is zero"},
		{"denominator infinite", RatioOfMeans([]Pair{{1, math.Inf(1)}}), "value 0 is +Inf"},
		{"proportional", RatioOfMeans(slices.Repeat([]Pair{{3, 10}, {3.3, 11}}, 6)), "no spread at all"},
		{"denominator wild", RatioOfMeans(slices.Repeat([]Pair{{1, 1}, {9, 10}, {2, 1}}, 4)), "denominator of the ratio is known to 32% only"},
	} {
		if c.want == "" && len(c.e.Warnings) == 0 {
			continue
		}
		if len(c.e.Warnings) != 1 || c.want == "" || !strings.Contains(c.e.Warnings[0], c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, c.e.Warnings, c.want)
		}
	}
}

func TestUnknownAndUnbounded(t *testing.T) {
	if e := Mean(nil); e.Known() || e.Bounded() || !math.IsNaN(e.Value) {
		t.Errorf("of nothing: %+v", e)
	}
	if e := Mean([]float64{3}); !e.Known() || e.Bounded() || e.Value != 3 {
		t.Errorf("of one value: %+v", e)
	}
	if e := Mean([]float64{math.NaN()}); e.Known() {
		t.Errorf("of NaN: %+v", e)
	}
}

// The independent implementation of gonum must agree, up to its order of
// summation.
func TestMeanAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 60).Draw(t, "x")
		m, s := stat.MeanStdDev(x, nil)
		e := Mean(x)
		if math.Abs(e.Value-m) > 1e-9*(1+math.Abs(m)) {
			t.Fatalf("mean %v, want %v", e.Value, m)
		}
		if want := tQuantile(len(x)-1) * stat.StdErr(s, float64(len(x))); math.Abs(e.Half-want) > 1e-8*(1+want) {
			t.Fatalf("half-width %v, want %v", e.Half, want)
		}
	})
}

// A ratio has no unit, and its inverse is the ratio the other way round.
func TestRatioProperties(t *testing.T) {
	value := rapid.Float64Range(1, 100)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		factor := rapid.Float64Range(0.01, 100).Draw(t, "factor")
		p, scaled, swapped := make([]Pair, n), make([]Pair, n), make([]Pair, n)
		for i := range p {
			p[i] = Pair{value.Draw(t, "x"), value.Draw(t, "y")}
			scaled[i] = Pair{p[i].X * factor, p[i].Y * factor}
			swapped[i] = Pair{p[i].Y, p[i].X}
		}
		e, s, w := RatioOfMeans(p), RatioOfMeans(scaled), RatioOfMeans(swapped)
		if math.Abs(e.Value-s.Value) > 1e-9*e.Value || math.Abs(e.Half-s.Half) > 1e-9*(e.Half+e.Value) {
			t.Fatalf("%v ±%v became %v ±%v in another unit", e.Value, e.Half, s.Value, s.Half)
		}
		if math.Abs(e.Value*w.Value-1) > 1e-9 {
			t.Fatalf("ratio %v, swapped %v", e.Value, w.Value)
		}
		// The relative half-widths are the same: both are those of log R.
		if math.Abs(e.Half/e.Value-w.Half/w.Value) > 1e-9*(1+e.Half/e.Value) {
			t.Fatalf("relative half-widths %v and %v", e.Half/e.Value, w.Half/w.Value)
		}
	})
}

// trials is enough for the share of intervals that cover the truth to lie
// within 0.93 and 0.97 but for bad luck of 4 standard deviations; the seed is
// fixed, so luck is too.
const trials = 2000

func TestIntervalsCoverTheTruth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 10, 30} {
		var means, ratios int
		for range trials {
			x, p := make([]float64, n), make([]Pair, n)
			for i := range x {
				x[i] = 100 + 5*rnd.NormFloat64()
				shared := 4 * rnd.NormFloat64() // what both systems suffer
				p[i] = Pair{150 + shared + 3*rnd.NormFloat64(), 100 + shared + 2*rnd.NormFloat64()}
			}
			if e := Mean(x); e.Lo() <= 100 && 100 <= e.Hi() {
				means++
			}
			if e := RatioOfMeans(p); e.Lo() <= 1.5 && 1.5 <= e.Hi() {
				ratios++
			}
		}
		for what, covered := range map[string]int{"mean": means, "ratio": ratios} {
			if share := float64(covered) / trials; share < 0.93 || share > 0.97 {
				t.Errorf("n=%d: %.1f%% of the intervals of the %s hold the truth", n, 100*share, what)
			}
		}
	}
}

// Pairing is worth its trouble: what hits both systems alike must not widen the
// interval of their ratio.
func TestPairingNarrowsTheInterval(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	p := make([]Pair, 30)
	for i := range p {
		shared := 1 + rnd.Float64()
		p[i] = Pair{200 * shared, 100*shared + rnd.NormFloat64()}
	}
	shuffled := slices.Clone(p)
	for i := range shuffled {
		shuffled[i].Y = p[(i+7)%len(p)].Y
	}
	paired, unpaired := RatioOfMeans(p), RatioOfMeans(shuffled)
	if paired.Half*5 > unpaired.Half {
		t.Errorf("half-width %v paired, %v with the pairs broken", paired.Half, unpaired.Half)
	}
}

// The bootstrap makes no use of linearisation or of Student's t. On a skewed
// series such as stragglers give, both must tell much the same.
func TestRatioAgreesWithBootstrap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	p := make([]Pair, 60)
	for i := range p {
		p[i] = Pair{100 + rnd.NormFloat64(), 100 + rnd.NormFloat64()}
		if rnd.Float64() < 0.4 {
			p[i].X += 100 * (0.5 + 1.5*rnd.Float64())
			p[i].Y += 20
		}
	}
	e := RatioOfMeans(p)
	lo, hi := bootstrap(p, rnd)
	near(t, "lower end", e.Lo(), lo, 0.15*e.Half)
	near(t, "upper end", e.Hi(), hi, 0.15*e.Half)
}

// bootstrap returns the 95% percentile interval of the ratio over resampled
// pairs.
func bootstrap(p []Pair, rnd *rand.Rand) (lo, hi float64) {
	ratios := make([]float64, 4000)
	for i := range ratios {
		var x, y float64
		for range p {
			one := p[rnd.IntN(len(p))]
			x, y = x+one.X, y+one.Y
		}
		ratios[i] = x / y
	}
	lo, _ = Quantile(ratios, 0.025)
	hi, _ = Quantile(ratios, 0.975)
	return lo, hi
}
