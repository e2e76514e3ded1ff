package gradient

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRuleNames(t *testing.T) {
	for _, name := range append(Rules(), "") {
		if err := Rule(name).Validate(); err != nil {
			t.Error(err)
		}
	}
	if Rule("appendix").Validate() == nil {
		t.Error("appendix is a rule")
	}
}

// The overflow by one of ambiguity switchml.f-overflow: 2^e itself keeps the
// exponent e in §4.6, and n such values, for n = 2, 4, 8, ..., round up to a sum of
// 2^31. Both other rules stay below.
func TestOverflowByOne(t *testing.T) {
	sum := func(r Rule, n int, v float32) (s int64) {
		q := make([]int32, 1)
		if r.Quantise(q, []float32{v}, r.Factor(n, r.Exponent([]float32{v}))) != 0 {
			t.Fatalf("%s: %v saturates", r, v)
		}
		return int64(n) * int64(q[0])
	}
	for n := 2; n <= 256; n *= 2 {
		for e := -20; e <= 20; e++ {
			v := float32(math.Ldexp(1, e))
			if got := sum(Section46, n, v); got != 1<<31 {
				t.Fatalf("%d values of 2^%d sum to %d under %s, which the paper's formula makes 2^31", n, e, got, Section46)
			}
			if got := sum(Section46, n, -v); got != -1<<31 {
				t.Fatalf("%d values of -2^%d sum to %d under %s", n, e, got, Section46)
			}
			for _, r := range []Rule{AppendixE, Floor} {
				if got := max(sum(r, n, v), -sum(r, n, -v)); got > math.MaxInt32 {
					t.Fatalf("%d values of 2^%d sum to %d under %s", n, e, got, r)
				}
			}
		}
	}
}

// Whatever is in blocks, no sum overflows under the rules that say so, and §4.6
// overflows by no more than n/2: half a unit of rounding for each worker.
func TestRulesBoundSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := Rule(rapid.SampledFrom(Rules()).Draw(t, "rule"))
		n := rapid.IntRange(1, 64).Draw(t, "workers")
		values := make([]float32, n)
		e := ExponentNone
		for w := range values {
			values[w] = anyFloat32(t, "v")
			if rapid.Bool().Draw(t, "power of two") {
				values[w] = float32(math.Ldexp(1, rapid.IntRange(-149, 127).Draw(t, "e")))
			}
			e = max(e, rule.Exponent(values[w:w+1]))
		}
		f := rule.Factor(n, e)
		sum := int64(0)
		for w := range values {
			q := make([]int32, 1)
			rule.Quantise(q, values[w:w+1], f)
			sum += int64(q[0])
		}
		limit := int64(math.MaxInt32)
		if rule == Section46 {
			limit += int64(n) / 2
		}
		if sum > limit || -sum > limit {
			t.Fatalf("%s: %v sum to %d, past %d", rule, values, sum, limit)
		}
	})
}

func TestExponentsOfRules(t *testing.T) {
	for _, c := range []struct {
		v             float32
		strict, loose int8
	}{
		{0, ExponentNone, ExponentNone}, {nan, ExponentNone, ExponentNone},
		{1, 1, 0}, {-1, 1, 0}, {1.5, 1, 1}, {0.5, 0, -1},
		{math.SmallestNonzeroFloat32, -126, -126}, {0x1p-127, -126, -126}, {0x1p-126, -125, -126},
		{0x1p126, 127, 126}, {0x1p127, 127, 127}, {math.MaxFloat32, 127, 127}, {inf, 127, 127}, {-inf, 127, 127},
	} {
		for rule, want := range map[Rule]int8{"": c.strict, AppendixE: c.strict, Section46: c.loose, Floor: c.loose} {
			if got := rule.Exponent([]float32{c.v}); got != want {
				t.Errorf("%s: exponent of %v is %d, want %d", rule, c.v, got, want)
			}
		}
	}
}

func TestFloorRoundsToZero(t *testing.T) {
	g := []float32{1.75, -1.75, 0.5, inf, -inf, nan, 0x1p40}
	q := make([]int32, len(g))
	if n := Floor.Quantise(q, g, 1); n != 4 {
		t.Errorf("%d values saturated, want 4", n)
	}
	for i, want := range []int32{1, -1, 0, math.MaxInt32, math.MinInt32, 0, math.MaxInt32} {
		if q[i] != want {
			t.Errorf("%v became %d, want %d", g[i], q[i], want)
		}
	}
}
