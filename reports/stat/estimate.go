package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// confidence is that of every interval in a report.
	confidence = 0.95

	// rounding is the spread, as a share of the value, that equal values may
	// show because their mean is not exact.
	rounding = 1e-12

	// fewValues is the count below which an interval leans on the values being
	// normally distributed, which iteration times under stragglers are not
	// (assumed; the scenarios run 30 iterations or more).
	fewValues = 10
)

// Estimate is a number with how well it is known.
type Estimate struct {
	Value    float64  // NaN where there is no answer
	Half     float64  // half-width of the 95% interval; +Inf where one value says nothing of the spread
	N        int      // values, or pairs, that it rests on
	Warnings []string // what to know before believing it
}

// Known reports whether there is an answer.
func (e Estimate) Known() bool { return e.N > 0 && !math.IsNaN(e.Value) }

// Bounded reports whether the interval is one.
func (e Estimate) Bounded() bool { return e.Known() && !math.IsInf(e.Half, 0) && !math.IsNaN(e.Half) }

// Lo returns the lower end of the interval.
func (e Estimate) Lo() float64 { return e.Value - e.Half }

// Hi returns the upper end of the interval.
func (e Estimate) Hi() float64 { return e.Value + e.Half }

// Mean estimates the mean of the population that x was drawn from.
func Mean(x []float64) Estimate {
	if e, ok := refuse(x); ok {
		return e
	}
	m := mean(x)
	return newEstimate(m, deviations(x, func(v float64) float64 { return v - m }))
}

// Pair is one iteration of two systems that ran under the same schedule.
type Pair struct {
	X, Y float64
}

// maxCV is the coefficient of variation of the mean of the denominator up to
// which the linearised interval of a ratio holds (Cochran, Sampling Techniques,
// chapter 6).
const maxCV = 0.1

// RatioOfMeans estimates the mean of X over the mean of Y. The interval follows
// from linearising the ratio: its standard error is that of the mean of
// X - ratio*Y, divided by the mean of Y.
func RatioOfMeans(pairs []Pair) Estimate {
	x, y := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		x[i], y[i] = p.X, p.Y
	}
	for _, series := range [][]float64{x, y} {
		if e, ok := refuse(series); ok {
			return e
		}
	}
	my := mean(y)
	if my == 0 {
		return unknown(len(pairs), "the denominator of the ratio is zero")
	}
	ratio := mean(x) / my
	residual := make([]float64, len(pairs))
	for i, p := range pairs {
		residual[i] = (p.X - float64(ratio*p.Y)) / my
	}
	e := newEstimate(ratio, residual)
	if se := sd(deviations(y, func(v float64) float64 { return v - my })) / math.Sqrt(float64(len(y))); se > maxCV*math.Abs(my) {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the denominator of the ratio is known to %.0f%% only: its interval is too narrow", 100*se/math.Abs(my)))
	}
	return e
}

// refuse returns the estimate of a series that allows none.
func refuse(x []float64) (Estimate, bool) {
	if len(x) == 0 {
		return unknown(0, "no values"), true
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return unknown(len(x), fmt.Sprintf("value %d is %v", i, v)), true
		}
	}
	return Estimate{}, false
}

func unknown(n int, why string) Estimate {
	return Estimate{Value: math.NaN(), Half: math.Inf(1), N: n, Warnings: []string{why}}
}

// newEstimate puts a 95% interval around value. The deviations sum to zero and
// their standard deviation over the root of n is the standard error of value.
func newEstimate(value float64, dev []float64) Estimate {
	n := len(dev)
	e := Estimate{Value: value, Half: math.Inf(1), N: n}
	if n < 2 {
		e.Warnings = append(e.Warnings, "a single value has no interval")
		return e
	}
	s := sd(dev)
	e.Half = tQuantile(n-1) * s / math.Sqrt(float64(n))
	if s <= rounding*math.Abs(value) {
		e.Warnings = append(e.Warnings, fmt.Sprintf("no spread at all in %d values", n))
	}
	if n < fewValues {
		e.Warnings = append(e.Warnings, fmt.Sprintf("only %d values: the interval assumes that they are normally distributed", n))
	}
	return e
}

// tQuantile returns what a two-sided interval multiplies the standard error by.
func tQuantile(freedom int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}
	return t.Quantile((1 + confidence) / 2)
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func deviations(x []float64, from func(float64) float64) []float64 {
	dev := make([]float64, len(x))
	for i, v := range x {
		dev[i] = from(v)
	}
	return dev
}

// sd returns the standard deviation of deviations from their mean, with n-1.
func sd(dev []float64) float64 {
	var sum float64
	for _, d := range dev {
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(dev)-1))
}
