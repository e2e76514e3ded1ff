package stat

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestQuantileByHand(t *testing.T) {
	x := []float64{40, 10, 30, 20}
	for q, want := range map[float64]float64{0: 10, 0.25: 17.5, 0.5: 25, 1.0 / 3: 20, 0.9: 37, 1: 40} {
		got, _ := Quantile(x, q)
		near(t, "quantile", got, want, 1e-12)
	}
	if !slices.Equal(x, []float64{40, 10, 30, 20}) {
		t.Errorf("the input became %v", x)
	}
	if m, warnings := Median([]float64{7}); m != 7 || len(warnings) != 1 {
		t.Errorf("median of one value %v, %q", m, warnings)
	}
}

func TestQuantileWarnings(t *testing.T) {
	hundred := make([]float64, 100)
	for _, c := range []struct {
		x    []float64
		q    float64
		want string
	}{
		{nil, 0.5, "no values"},
		{[]float64{1, math.NaN()}, 0.5, "value 1 is NaN"},
		{[]float64{1}, 1.5, "quantile 1.5 is not a fraction from 0 to 1"},
		{[]float64{1}, math.NaN(), "quantile NaN is not a fraction from 0 to 1"},
		{hundred[:99], 0.99, "the 0.99 quantile takes 100 values, here are 99"},
		{hundred[:99], 0.01, "the 0.01 quantile takes 100 values, here are 99"},
		{hundred, 0.99, ""},
		{hundred[:1], 1, ""}, // the largest is the largest
	} {
		_, warnings := Quantile(c.x, c.q)
		if c.want == "" && len(warnings) == 0 {
			continue
		}
		if len(warnings) != 1 || warnings[0] != c.want {
			t.Errorf("quantile %v of %d values: warnings %q, want %q", c.q, len(c.x), warnings, c.want)
		}
	}
}

func TestQuantileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 1, 50).Draw(t, "x")
		a := rapid.Float64Range(0, 1).Draw(t, "a")
		b := rapid.Float64Range(a, 1).Draw(t, "b")
		lo, _ := Quantile(x, a)
		hi, _ := Quantile(x, b)
		if lo > hi+1e-9 || lo < slices.Min(x) || hi > slices.Max(x)+1e-9 {
			t.Fatalf("quantiles %v and %v of values from %v to %v", lo, hi, slices.Min(x), slices.Max(x))
		}
	})
}

// Bounds by hand: P(0 of 6 below) is 1/64, so that 6 values bound their median by the least and the largest; of 9 values
// one may lie beyond on each side (10/512 each), of 12 two (79/4096 each).
func TestMedianIntervalByHand(t *testing.T) {
	inf := math.Inf(1)
	for n, want := range map[int][2]float64{0: {-inf, inf}, 1: {-inf, inf}, 5: {-inf, inf}, 6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 11: {2, 10}, 12: {3, 10}} {
		var x []float64
		for i := range n {
			x = append(x, float64(n-i))
		}
		if low, high := MedianInterval(x); low != want[0] || high != want[1] {
			t.Errorf("%d values: %v to %v, want %v", n, low, high, want)
		}
	}
}
