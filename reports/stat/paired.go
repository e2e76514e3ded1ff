package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Factor is by what one side of pairs differs from the other.
type Factor struct {
	Value    float64  // geometric mean of X/Y; NaN where there is no answer
	Lo, Hi   float64  // its 95% interval; 0 and +Inf where one pair says nothing of the spread
	P        float64  // of differences as large where the factor is 1; NaN where one pair says nothing of it
	N        int      // pairs
	Warnings []string // what to know before believing it
}

// PairedFactor estimates by what factor X differs from Y. It is the paired t-test on the logarithms of X/Y, so that
// a factor and its inverse count alike. Both sides must be above zero.
func PairedFactor(pairs []Pair) Factor {
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		logs[i] = math.Log(p.X / p.Y)
	}
	e := Mean(logs)
	f := Factor{Value: math.Exp(e.Value), Lo: math.Exp(e.Lo()), Hi: math.Exp(e.Hi()), P: math.NaN(), N: e.N, Warnings: e.Warnings}
	if !e.Known() {
		f.Lo, f.Hi = 0, math.Inf(1)
		return f
	}
	if len(logs) >= 2 {
		f.P = chance(logs, e.Value)
	}
	return f
}

// chance returns the probability that values around zero have a mean as far from it.
func chance(x []float64, m float64) float64 {
	se := sd(deviations(x, func(v float64) float64 { return v - m })) / math.Sqrt(float64(len(x)))
	switch {
	case se > rounding:
	case math.Abs(m) <= rounding:
		return 1
	default:
		return 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}
	return 2 * t.CDF(-math.Abs(m)/se)
}

// Holm corrects p-values for how many there are (Holm, A Simple Sequentially Rejective Multiple Test Procedure,
// 1979): those below a level are then false alarms with that probability at most, all together. What is NaN
// is no test, and stays.
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	var least float64
	for k, i := range order {
		least = max(least, min(1, float64(len(order)-k)*p[i]))
		out[i] = least
	}
	return out
}
