package unit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// switchmlQuantiser checks SwitchML's scaling of blocks: §4.6 and App E.
func switchmlQuantiser() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.quantiser", Title: "bounds of the scaling of blocks",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{
			"switchml.s4.6.f-formula", "switchml.appE.example100", "switchml.appE.example10", "switchml.appE.thm1",
			"switchml.appE.thm2", "switchml.appE.combined",
		},
		Quick: "a tenth of the random vectors",
		Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
			sectionFactor(&f)
			for _, x := range []struct {
				id claims.ID
				f  float64
			}{{"switchml.appE.example100", 100}, {"switchml.appE.example10", 10}} {
				m, err := appendixE(x.f)
				if err != nil {
					return f, err
				}
				f.Set(x.id, m)
			}
			theorems(&f, e)
			f.Tables = append(f.Tables, ruleTable(e))
			return f, nil
		},
	}
}

// maxWorkers of the bounds' checks: the ports of the paper's switch.
const maxWorkers = 64

// sectionFactor tries the factor of §4.6 on the worst blocks there are: of every
// worker the largest magnitude that the shared exponent allows.
func sectionFactor(f *experiment.Findings) {
	var others []int // n that are no power of two, and overflow
	mostOver, mostOther, bound := int64(0), int64(0), 0
	for n := 1; n <= maxWorkers; n++ {
		over := worstOf(gradient.Section46, n).by
		bound += worstOf(gradient.AppendixE, n).above
		switch {
		case n&(n-1) == 0:
			mostOver = max(mostOver, over)
		case over > 0:
			others, mostOther = append(others, n), max(mostOther, over)
		}
	}
	m := claims.NumberParts(map[string]float64{"overflowing_other_n": float64(len(others)), "most_over": float64(mostOver)})
	f.Set("switchml.s4.6.f-formula", m.Noting("n up to %d; n that are no power of two, %v, overflow by up to %d; with the factor of App E, which hosts here use, %d sums overflow",
		maxWorkers, others, mostOther, bound))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendixE is the worked example: 1.56 and 4.23 under a factor. What hosts
// quantise is held against exact arithmetic.
func appendixE(factor float64) (claims.Measured, error) {
	var sum int64
	exact := new(big.Rat)
	for _, v := range []string{"1.56", "4.23"} {
		r, ok := new(big.Rat).SetString(v)
		if !ok {
			return claims.Measured{}, fmt.Errorf("%s is no number", v)
		}
		exact.Add(exact, r)
		x, _ := r.Float32()
		var q [1]int32
		gradient.QuantiseBlock(q[:], []float32{x}, factor)
		sum += int64(q[0])
	}
	result := new(big.Rat).Quo(new(big.Rat).SetInt64(sum), new(big.Rat).SetFloat64(factor))
	off, _ := new(big.Rat).Abs(new(big.Rat).Sub(result, exact)).Float64()
	got, _ := result.Float64()
	return claims.NumberParts(map[string]float64{"aggregate": float64(sum), "result": got, "error": off}), nil
}

// factorOverflow is the ambiguity of which formula the factor has; its choices are
// the names of rules.
const factorOverflow claims.ID = "switchml.f-overflow"

// ruleTable is what each choice, and what else hosts can do, makes of the worst blocks.
func ruleTable(e *experiment.Env) claims.Table {
	t := claims.Table{
		ID: "switchml.quantiser", Title: fmt.Sprintf("Sums of the worst blocks of 1 to %d workers by the rule of the factor", maxWorkers),
		Columns: []claims.Column{{Name: "rule"}, {Name: "sums"}, {Name: "above int32"}, {Name: "by at most"}, {Name: "numbers of workers"}, {Name: "largest error", Unit: "n/f"}},
		Notes:   []string{fmt.Sprintf("The choices of ambiguity %s, of which %s holds, and floor. All workers have the same value, 2^m or just below, of either sign.", factorOverflow, e.Reading(factorOverflow))},
	}
	for _, rule := range gradient.Rules() {
		var w worstSums
		for n := 1; n <= maxWorkers; n++ {
			w.add(worstOf(gradient.Rule(rule), n))
		}
		t.Add(render.Text(rule), render.Int(w.sums), render.Int(w.above), render.Int(w.by), render.Int(w.workers), render.Number(w.off, 3))
	}
	return t
}

// worstSums is what a rule makes of the worst blocks.
type worstSums struct {
	sums, above, workers int     // sums, those that int32 does not hold, and n with such a sum
	by                   int64   // how far above
	off                  float64 // largest error of a sum, in n/f
}

// add takes in the sums of another number of workers.
func (w *worstSums) add(v worstSums) {
	w.sums, w.above, w.workers = w.sums+v.sums, w.above+v.above, w.workers+v.workers
	w.by, w.off = max(w.by, v.by), max(w.off, v.off)
}

// worstOf sums, with n workers, the largest values that an exponent allows.
func worstOf(rule gradient.Rule, n int) (w worstSums) {
	for m := -30; m <= 30; m++ {
		for _, v := range []float32{float32(math.Ldexp(1, m)), float32(math.Ldexp(1-0x1p-24, m))} {
			factor := rule.Factor(n, rule.Exponent([]float32{v}))
			var q [2]int32
			rule.Quantise(q[:], []float32{v, -v}, factor)
			for i, x := range []float64{float64(v), -float64(v)} {
				sum, most := int64(n)*int64(q[i]), int64(math.MaxInt32+i)
				if i > 0 {
					sum = -sum
				}
				w.sums++
				w.above += btoi(sum > most)
				w.by = max(w.by, sum-most)
				w.off = max(w.off, math.Abs(float64(q[i])-x*factor))
			}
		}
	}
	w.workers = btoi(w.above > 0)
	return w
}

// theorems tries the bounds of App E on random vectors and on the worst ones.
func theorems(f *experiment.Findings, e *experiment.Env) {
	t := bounds{stream: e.Seed.Stream("switchml.quantiser"), rule: gradient.Rule(e.Reading(factorOverflow))}
	for n := 1; n <= maxWorkers; n++ {
		for range e.Trials(300) {
			t.try(n, t.random(n))
		}
		for _, share := range []float32{1, -1, 0.5, 1 - 0x1p-24} { // of the bound B, all workers alike
			t.try(n, slices.Repeat([]float32{share}, n))
		}
	}
	m := claims.NumberParts(map[string]float64{"error_over_bound": t.anyRounding, "error_over_nearest_bound": t.nearest})
	f.Set("switchml.appE.thm1", m.Noting("%d vectors of 1 to %d workers", t.tried, maxWorkers))
	f.Set("switchml.appE.thm2", claims.Number(float64(t.overflows)).Noting("of %d sums, each rounded down, up and to nearest", t.tried))
	f.Set("switchml.appE.combined", claims.Number(t.combined))
}

// bounds keeps the worst that was seen.
type bounds struct {
	rule        gradient.Rule // which formula the factor has
	stream      *rng.Stream
	tried       int
	overflows   int
	anyRounding float64 // error over n/f, rounded down, up and to nearest
	nearest     float64 // error over n/(2f), to nearest
	combined    float64 // error over n^2 B/(2^31-n)
}

func (t *bounds) random(n int) []float32 {
	out := make([]float32, n)
	for w := range out {
		out[w] = float32(t.stream.Uniform(-1, 1))
	}
	return out
}

// try sums one value of each of n workers, as shares of a bound B, with the
// largest factor of Theorem 2, and with one that is far smaller.
func (t *bounds) try(n int, shares []float32) {
	t.tried++
	b := math.Ldexp(1, t.stream.IntN(40)-20)
	values := make([]float32, n)
	for w, s := range shares {
		values[w] = float32(float64(s) * b)
	}
	largest := t.largest(n, b)
	for _, factor := range []float64{largest, largest / 1e6} {
		r := roundAll(values, factor, func(q []int32, g []float32) int { return gradient.QuantiseBlock(q, g, factor) })
		for i, sum := range r.sums {
			t.anyRounding = max(t.anyRounding, math.Abs(r.off[i])/float64(n))
			t.overflows += btoi(sum > math.MaxInt32 || sum < math.MinInt32)
			if factor == largest {
				bound := float64(n) * float64(n) * b / (math.MaxInt32 + 1 - float64(n))
				t.combined = max(t.combined, math.Abs(r.off[i])/factor/bound)
			}
		}
		t.nearest = max(t.nearest, math.Abs(r.off[toNearest])/(float64(n)/2))
	}
}

// largest returns the largest factor for magnitudes up to B: of Theorem 2, or of §4.6,
// where 2^m is B.
func (t *bounds) largest(n int, b float64) float64 {
	if t.rule == gradient.Section46 {
		return math.MaxInt32 / (float64(n) * b)
	}
	return (math.MaxInt32 + 1 - float64(n)) / (float64(n) * b)
}

// rounded is what becomes of a value of each worker: rounded down, up, and by
// hosts to nearest.
type rounded struct {
	sums  [3]float64
	off   [3]float64 // errors of the sums, in units of 1/f
	worst float64    // error of a value that hosts round, in units of 1/f
}

// toNearest is the index of what hosts do.
const toNearest = 2

// roundAll rounds a value of each worker and sums them. Errors are added up
// worker by worker: they are small, so that float64 keeps them to parts of 1e-15,
// where it would not keep the sums so well.
func roundAll(values []float32, factor float64, quantise func(q []int32, g []float32) int) (r rounded) {
	q := make([]int32, len(values))
	quantise(q, values)
	for w, v := range values {
		scaled := float64(v) * factor
		for i, x := range [3]float64{math.Floor(scaled), math.Ceil(scaled), float64(q[w])} {
			r.sums[i] += x
			r.off[i] += x - scaled
		}
		r.worst = max(r.worst, math.Abs(float64(q[w])-scaled))
	}
	return r
}
