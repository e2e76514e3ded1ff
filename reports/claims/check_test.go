package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbers is a list of numbers, which no experiment of the ledger measures.
func numbers(xs ...float64) Measured {
	v := Value{kind: valueList}
	for _, x := range xs {
		v.list = append(v.list, NumberValue(x))
	}
	return Measured{outcome: v}
}

var order = Order{Groups: [][]string{{"ina"}, {"ps", "ring"}, {"tcp"}}, Strict: true}

func points(ys ...float64) Measured {
	var ps []Point
	for i, y := range ys {
		ps = append(ps, Point{float64(i), y})
	}
	return Series(ps...)
}

func rank(ina, ps, ring, tcp float64) Measured {
	return Ranking(map[string]float64{"ina": ina, "ps": ps, "ring": ring, "tcp": tcp, "other": 0})
}

func TestChecks(t *testing.T) {
	lax := order
	lax.Strict = false
	rising := Monotone{Direction: Increasing, Rho: 0.9}
	falling := Monotone{Direction: Decreasing, Rho: 0.9}
	steps := Monotone{Direction: Increasing, Strict: true}
	down := Monotone{Direction: Decreasing, Strict: true}
	sizes := Equal{Value{kind: valueList, list: []Value{NumberValue(58), NumberValue(248)}}}
	names := Equal{Value{kind: valueList, list: []Value{WordValue("a"), WordValue("b")}}}
	bert := Parts{[]Part{{"comm", Within{Of: 67, Margin: 3}}, {"batch", Equal{NumberValue(1677)}}}, []string{"batch"}}
	group := func(comm, batch float64) Measured {
		return Group(map[string]Measured{"comm": Number(comm), "batch": Number(batch)})
	}
	nan := math.NaN()
	for _, c := range []struct {
		check    Check
		measured Measured
		want     string // "pass: " and the reason, or the reason of a failure
	}{
		{Within{Of: 77, Margin: 0.5}, Number(77.5), "pass: 77.5 is in 77 ±0.5"},
		{Within{Of: 77, Margin: 0.5}, Number(76.5), "pass: 76.5 is in 77 ±0.5"},
		{Within{Of: 77, Margin: 0.5}, Number(77.51), "77.51 is too high for 77 ±0.5"},
		{Within{Of: 77, Margin: 0.5}, Number(76.49), "76.49 is too low for 77 ±0.5"},
		{Within{Of: 77, Margin: 0}, Number(77), "pass: 77 is in 77 ±0"},
		{Within{Of: 77, Margin: 0.5}, Number(nan), "NaN is no result"},
		{Within{Of: 77, Margin: 0.5}, Number(math.Inf(1)), "+Inf is no result"},
		{Within{Of: 77, Margin: 0.5}, Text("77"), "measured was text, the check is of a number"},
		{Within{Of: 77, Margin: 0.5}, Measured{}, "nothing was measured, the check is of a number"},
		{Within{Of: 1.8, Margin: 0.1, Relative: true}, Number(1.98), "pass: 1.98 is in 1.8 ±10%"}, // 1.98-1.8 > 0.18 in float64
		{Within{Of: 1.8, Margin: 0.1, Relative: true}, Number(1.981), "1.981 is too high for 1.8 ±10%"},
		{Within{Of: -2, Margin: 0.5, Relative: true}, Number(-3), "pass: -3 is in -2 ±50%"},
		{Within{Of: -2, Margin: 0.5, Relative: true}, Number(-0.9), "-0.9 is too high for -2 ±50%"},
		{Range{1.5, 2}, Number(1.5), "pass: 1.5 is in 1.5..2"},
		{Range{1.5, 2}, Estimate(2, 0.5, 10), "pass: 2 is in 1.5..2"},
		{Range{1.5, 2}, Number(1.499), "1.499 is too low for 1.5..2"},
		{Range{1.5, 2}, Number(2.001), "2.001 is too high for 1.5..2"},
		{Min{0.98}, Number(0.98), "pass: 0.98 is in ≥0.98"},
		{Min{0.98}, Number(0.97), "0.97 is too low for ≥0.98"},
		{Min{0.98}, Number(math.Inf(1)), "+Inf is no result"},
		{Max{2.1}, Number(-5), "pass: -5 is in ≤2.1"},
		{Max{2}, Number(2.00001), "2.00001 is too high for ≤2"},
		{Max{2.1}, Number(2.2), "2.2 is too high for ≤2.1"},

		{Equal{NumberValue(12)}, Number(12), "pass: 12 as it must be"},
		{Equal{NumberValue(0.3)}, Number(0.1 + 0.2), "pass: 0.3 as it must be"},
		{Equal{NumberValue(12)}, Number(12.001), "12.001 is not 12"},
		{Equal{NumberValue(12)}, Number(nan), "NaN is not 12"},
		{Equal{NumberValue(12)}, Bool(true), "measured was yes or no, the check is of a number"},
		{Equal{NumberValue(12)}, points(12), "measured was a series, the check is of a number"},
		{Equal{FlagValue(true)}, Bool(true), "pass: yes as it must be"},
		{Equal{FlagValue(true)}, Bool(false), "no is not yes"},
		{Equal{WordValue("a")}, Text("a"), "pass: a as it must be"},
		{Equal{WordValue("a")}, Text("A"), "A is not a"},
		{sizes, numbers(58, 248), "pass: 58, 248 as it must be"},
		{sizes, numbers(248, 58), "248, 58 is not 58, 248"},
		{sizes, numbers(58), "58 is not 58, 248"},
		{sizes, Number(58), "measured was a number, the check is of a list"},
		{names, Texts("a", "b"), "pass: a, b as it must be"},
		{names, Texts("a", "c"), "a, c is not a, b"},
		{names, numbers(1, 2), "1, 2 is not a, b"},

		{order, rank(1, 3, 2, 4), "pass: in the order ina < ps, ring < tcp"},
		{order, rank(1, 2, 3, 4), "pass: in the order ina < ps, ring < tcp"},
		{order, rank(1, 2, 5, 4), "ring 5 is not < tcp 4"},
		{order, rank(2, 2, 3, 4), "ina 2 is not < ps 2"},
		{order, rank(1, 2, 3, nan), "tcp: NaN is no result"},
		{order, Ranking(map[string]float64{"ina": 1, "ps": 2, "tcp": 3}), "ring was not measured"},
		{order, Number(1), "measured was a number, the check is of named numbers"},
		{lax, rank(2, 2, 2, 2), "pass: in the order ina ≤ ps, ring ≤ tcp"},
		{lax, rank(2.1, 2, 2, 2), "ina 2.1 is not ≤ ps 2"},

		{rising, points(1, 2, 3, 4, 5), "pass: increasing: rank correlation 1 that way"},
		{rising, points(1, 2, 3, 5, 4), "pass: increasing: rank correlation 0.9 that way"},
		{rising, points(1, 2, 2, 5, 4), "not increasing: rank correlation 0.8721 that way, below 0.9"},
		{rising, points(5, 4, 3, 2, 1), "not increasing: rank correlation -1 that way, below 0.9"},
		{falling, points(5, 4, 3, 2, 1), "pass: decreasing: rank correlation 1 that way"},
		{rising, Series(Point{2, 3}, Point{1, 2}, Point{0, 1}), "pass: increasing: rank correlation 1 that way"},
		{rising, points(1, 1, 1), "all values are the same"},
		{rising, points(1), "a series of 1 points goes no way"},
		{rising, points(1, nan, 3), "the point at 1 is no result: NaN"},
		{rising, Number(1), "measured was a number, the check is of a series"},
		{steps, points(1, 2, 3), "pass: strictly increasing"},
		{steps, points(1, 2, 2), "not strictly increasing: 2 at 1, 2 at 2"},
		{steps, Series(Point{1, 1}, Point{1, 2}), "two values at 1"},
		{down, points(3, 2, 1), "pass: strictly decreasing"},
		{down, points(3, 2, 2), "not strictly decreasing: 2 at 1, 2 at 2"},

		{bert, group(66, 1677), "pass: comm: 66 is in 67 ±3; batch: input"},
		{bert, Group(map[string]Measured{"comm": Number(66)}), "pass: comm: 66 is in 67 ±3; batch: input"},
		{bert, group(60, 1677), "comm: 60 is too low for 67 ±3"},
		{bert, group(60, 1600), "comm: 60 is too low for 67 ±3; batch: 1600 is not 1677"},
		{bert, Group(map[string]Measured{"batch": Number(1677)}), "comm was not measured"},
		{bert, Group(map[string]Measured{"comm": Number(66), "comn": Number(66)}), "comn is no part of the check"},
		{bert, Number(66), "measured was a number, the check is of named parts"},

		{None{}, Number(1), "there is no check"},
	} {
		pass, got := c.check.Meets(c.measured)
		if pass {
			got = "pass: " + got
		}
		if got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.check.Short(), c.measured, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		check Check
		want  string
	}{
		{Within{Of: 1677, Margin: 0.01, Relative: true}, "1677 ±1%"},
		{Min{1e-8}, "≥1e-08"},
		{Equal{Value{kind: valueList, list: []Value{NumberValue(58), NumberValue(248)}}}, "=(58, 248)"},
		{Equal{FlagValue(false)}, "=no"},
		{Monotone{Direction: Decreasing, Rho: 0.9}, "decreasing, rho ≥0.9"},
		{Parts{Parts: []Part{{"a", Max{1}}, {"b", Range{0, 1}}}}, "a ≤1; b 0..1"},
		{None{}, ""},
	} {
		if got := c.check.Short(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A number meets a margin exactly where it meets the range of the same ends.
func TestWithinIsARange(t *testing.T) {
	number := rapid.Float64Range(-1e6, 1e6)
	rapid.Check(t, func(t *rapid.T) {
		of, margin, x := number.Draw(t, "of"), rapid.Float64Range(0, 1e3).Draw(t, "margin"), number.Draw(t, "x")
		a, _ := Within{Of: of, Margin: margin}.Meets(Number(x))
		b, _ := Range{of - margin, of + margin}.Meets(Number(x))
		low, _ := Min{of - margin}.Meets(Number(x))
		high, _ := Max{of + margin}.Meets(Number(x))
		if a != b || a != (low && high) {
			t.Fatalf("%v is within %v: %v; in the range: %v; above the low end: %v; below the high end: %v", x, margin, a, b, low, high)
		}
	})
}

// Ranks depend on the order of values alone, and points may come in any order.
func TestMonotoneLooksAtOrderOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ys := rapid.SliceOfN(rapid.IntRange(0, 5), 2, 8).Draw(t, "y")
		var plain, stretched []Point
		for i, y := range ys {
			plain = append(plain, Point{float64(i), float64(y)})
			stretched = append(stretched, Point{math.Exp(float64(i)), math.Pow(float64(y), 3)})
		}
		mixed := rapid.Permutation(stretched).Draw(t, "order")
		for _, c := range []Monotone{{Direction: Increasing, Rho: 0.5}, {Direction: Decreasing, Rho: 0.5}, {Direction: Increasing, Strict: true}} {
			a, why := c.Meets(Series(plain...))
			b, _ := c.Meets(Series(mixed...))
			if a != b {
				t.Fatalf("%s: %v (%s), stretched and mixed %v", c.Short(), a, why, b)
			}
			if want := slices.IsSortedFunc(ys, func(a, b int) int { return a - b }) && len(slices.Compact(slices.Clone(ys))) == len(ys); c.Strict && a != want {
				t.Fatalf("%v: strictly increasing %v", ys, a)
			}
		}
	})
}

// A strict order holds for exactly the numbers that rise from group to group.
func TestOrderAgainstSorting(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		values := map[string]float64{}
		for _, n := range names {
			values[n] = float64(rapid.IntRange(0, 5).Draw(t, n))
		}
		cut := rapid.IntRange(1, len(names)-1).Draw(t, "cut")
		c := Order{Groups: [][]string{names[:cut], names[cut:]}, Strict: rapid.Bool().Draw(t, "strict")}
		want := true
		for _, low := range names[:cut] {
			for _, high := range names[cut:] {
				want = want && (values[low] < values[high] || !c.Strict && values[low] == values[high])
			}
		}
		if got, why := c.Meets(Ranking(values)); got != want {
			t.Fatalf("%s of %v: %v, %s", c.Short(), values, got, why)
		}
	})
}

func TestMeasuredForPeople(t *testing.T) {
	for _, c := range []struct {
		m    Measured
		want string
	}{
		{Measured{}, "-"},
		{Number(1.23456), "1.235"},
		{Number(12345.6), "12346"},
		{Number(1e15), "1e+15"},
		{Number(0.00001), "1e-05"},
		{Number(-0.5), "-0.5"},
		{Number(math.NaN()), "NaN"},
		{Estimate(1.72, 0.0512, 100), "1.72 ±0.051"},
		{Estimate(1.72, math.Inf(1), 1), "1.72"},
		{points(1, 1.15), "0:1 1:1.15"},
		{Ranking(map[string]float64{"b": 2, "a": 2, "c": 1}), "c 1 < a 2 = b 2"},
		{Texts("x", "y"), "x, y"},
		{Group(map[string]Measured{"b": Bool(true), "a": numbers(1, 2)}), "a (1, 2), b yes"},
	} {
		if got := c.m.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestMeasuredParts(t *testing.T) {
	g := Group(map[string]Measured{"a": Number(2)})
	if a, ok := g.Part("a"); !ok || a.String() != "2" || g.IsZero() {
		t.Errorf("part %v, %v", a, ok)
	}
	if _, ok := g.Part("b"); ok {
		t.Error("there is a part that nobody gave")
	}
	if _, ok := Number(1).Part("a"); ok {
		t.Error("a number has a part")
	}
	if x, ok := Number(1).Number(); !ok || x != 1 {
		t.Errorf("number %v, %v", x, ok)
	}
	if _, ok := Text("1").Number(); ok {
		t.Error("text is a number")
	}
	if strings.Contains(wrongKind(Measured{}, "x"), "measured was") {
		t.Error("nothing was measured, and said to be of a kind")
	}
}
