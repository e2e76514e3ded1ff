package stat

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the value below which the fraction q of x lies, linearly
// interpolated between the order statistics around q*(n-1) (type 7 of Hyndman
// and Fan, Sample Quantiles in Statistical Packages, 1996). It leaves x as it
// is. No values, or a q outside 0 to 1, give NaN and a warning.
func Quantile(x []float64, q float64) (float64, []string) {
	if e, ok := refuse(x); ok {
		return e.Value, e.Warnings
	}
	if !(q >= 0 && q <= 1) {
		return math.NaN(), []string{fmt.Sprintf("quantile %v is not a fraction from 0 to 1", q)}
	}
	sorted := slices.Sorted(slices.Values(x))
	at := q * float64(len(x)-1)
	i := int(at)
	v := sorted[i]
	if i+1 < len(sorted) {
		v += float64((at - float64(i)) * (sorted[i+1] - sorted[i]))
	}
	return v, tailWarning(len(x), q)
}

// Median returns the middle of x.
func Median(x []float64) (float64, []string) { return Quantile(x, 0.5) }

// MedianInterval returns bounds that hold the median of what x was drawn from with 95% or more, whatever its
// distribution is: order statistics, by the binomial distribution of how many values lie below the
// median (Conover, Practical Nonparametric Statistics, section 3.2). Fewer than 6 values have infinite bounds.
func MedianInterval(x []float64) (low, high float64) {
	n := len(x)
	beyond, term := 0.0, math.Pow(0.5, float64(n)) // P(k or fewer values below the median), P(k)
	k := 0
	for ; 2*k < n; k++ {
		if beyond += term; 2*beyond > 0.05 {
			break
		}
		term *= float64(n-k) / float64(k+1)
	}
	if k == 0 || 2*k >= n {
		return math.Inf(-1), math.Inf(1)
	}
	sorted := slices.Sorted(slices.Values(x))
	return sorted[k-1], sorted[n-k]
}

// tailWarning tells where fewer than one value is expected beyond a quantile.
func tailWarning(n int, q float64) []string {
	tail := min(q, 1-q)
	if tail == 0 || float64(n)*tail >= 1-1e-9 { // 100 * (1-0.99) falls short of 1 by rounding
		return nil
	}
	return []string{fmt.Sprintf("the %g quantile takes %.0f values, here are %d", q, math.Ceil(1/tail-1e-9), n)}
}
