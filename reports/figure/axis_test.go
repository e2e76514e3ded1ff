package figure

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

func labels(ticks plot.ConstantTicks) (out []string) {
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		e    extent
		want []string
	}{
		{Axis{}, extent{0, 104}, []string{"0", "20", "40", "60", "80", "100"}},
		{Axis{}, extent{-0.1, 1.1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{Axis{}, extent{1.86, 2.01}, []string{"1.875", "1.900", "1.925", "1.950", "1.975", "2.000"}},
		{Axis{}, extent{0, 3.1e6}, []string{"0", "1000000", "2000000", "3000000"}},
		{Axis{}, extent{0, 3.1e12}, []string{"0", "1e+12", "2e+12", "3e+12"}},
		{Axis{Ticks: []float64{0, 4, 8.5}}, extent{0, 9}, []string{"0", "4", "8.5"}},
		{Axis{Scale: Log10}, extent{0.5, 2000}, []string{"1", "10", "100", "1000"}},
		{Axis{Scale: Log10}, extent{8, 150}, []string{"10", "20", "50", "100"}},
		{Axis{Scale: Log10}, extent{20, 40}, []string{"20", "25", "30", "35", "40"}},
		{Axis{Scale: Log10}, extent{1e-5, 1e9}, []string{"0.001", "1", "1000", "1e+06", "1e+09"}},
		{Axis{Scale: Log2}, extent{30, 1100}, []string{"32", "64", "128", "256", "512", "1024"}},
		{Axis{Scale: Log2}, extent{1, 1 << 20}, []string{"1", "16", "256", "4096", "65536", "2^20"}},
		{Axis{Scale: Log2}, extent{70, 100}, []string{"70", "75", "80", "85", "90", "95", "100"}},
	} {
		if got := labels(c.axis.ticks(c.e, 300, 50)); !slices.Equal(got, c.want) {
			t.Errorf("%+v from %v to %v: %q, want %q", c.axis, c.e.low, c.e.high, got, c.want)
		}
	}
}

// Whatever an axis shows, its numbers are in range, in order, told apart by their
// digits, and few.
func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Scale: rapid.SampledFrom([]Scale{Linear, Log10, Log2}).Draw(t, "scale")}
		value := rapid.OneOf(rapid.Float64Range(1e-100, 1e100), rapid.Float64Range(1e-3, 1e7), rapid.Float64Range(1000, 1000.001))
		e := nothing()
		e.add(value.Draw(t, "a"), value.Draw(t, "b"))
		if a.Scale == Linear && rapid.Bool().Draw(t, "negative") {
			e.add(-value.Draw(t, "c"))
		}
		shown := a.padded(e)
		if !(shown.low < e.low && shown.high > e.high) {
			t.Fatalf("%v is shown as %v", e, shown)
		}
		ticks := a.ticks(shown, 300, 50)
		named := labels(ticks)
		if len(named) < 1 || len(named) > 8 || len(slices.Compact(slices.Clone(named))) != len(named) {
			t.Fatalf("%v: %q", shown, named)
		}
		last := math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value < shown.low*(1-1e-12)-1e-9*math.Abs(shown.low) || tick.Value <= last || tick.Value > shown.high+1e-9*math.Abs(shown.high) {
				t.Fatalf("%v: %+v", shown, ticks)
			}
			last = tick.Value
			if v, err := strconv.ParseFloat(tick.Label, 64); err == nil && math.Abs(v-tick.Value) > 1e-5*max(math.Abs(v), math.Abs(tick.Value)) {
				t.Fatalf("%v is called %s", tick.Value, tick.Label)
			}
		}
	})
}

func TestPadded(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		e    extent
		want extent
	}{
		{Axis{}, extent{0, 100}, extent{-4, 104}},
		{Axis{Zero: true}, extent{50, 100}, extent{0, 104}},
		{Axis{Zero: true}, extent{-100, -50}, extent{-104, 0}},
		{Axis{}, nothing(), extent{-0.04, 1.04}},
		{Axis{}, extent{50, 50}, extent{48, 52}},
		{Axis{}, extent{0, 0}, extent{-0.04, 0.04}},
		{Axis{Ticks: []float64{0, 200}}, extent{50, 100}, extent{-8, 208}},
		{Axis{Scale: Log10}, extent{6, 6}, extent{4, 9}},
	} {
		got := c.axis.padded(c.e)
		if math.Abs(got.low-c.want.low) > 1e-9 || math.Abs(got.high-c.want.high) > 1e-9 {
			t.Errorf("%+v of %v: %v, want %v", c.axis, c.e, got, c.want)
		}
	}
}
