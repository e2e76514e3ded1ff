package train

import "math"

// Package math computes Exp and Log in assembly on some processors and in Go
// on others, with last bits that differ. These two use only operations that
// IEEE 754 rounds in one way, with every product converted so that none is
// fused into an addition.

// ln2 in two parts: the first has its 32 lowest bits clear, so that its product
// with any exponent of a float64 is exact (Cody and Waite, "Software Manual for
// the Elementary Functions", 1980; split as in FreeBSD's e_exp.c).
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
	log2E   = 1.44269504088896338700e+00
)

// Outside these bounds exp is 0 or infinite; results below the smallest normal
// number are 0 as well.
const (
	expLowest  = -708
	expHighest = 709
)

// expTerms are 1/k! from k=13 down. The next term is below 5e-18 of the result
// where they are used, for |r| <= ln2/2.
var expTerms = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
	1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

// exp returns e to the x, within 1e-15 relative in -708..709: e^x is 2^k e^r
// with k the nearest integer to x/ln2.
func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < expLowest:
		return 0
	case x > expHighest:
		return math.Inf(1)
	}
	k := math.RoundToEven(float64(x * log2E))
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	return float64(polynomial(expTerms[:], r) * powerOfTwo(int(k)))
}

// powerOfTwo returns 2^k for a normal result, -1022 <= k <= 1023.
func powerOfTwo(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// logTerms are 2/(2k+1) from k=11 down, the series of ln((1+s)/(1-s)) over s
// in the square of s. The next term is below 2e-20 where they are used, for
// |s| <= 0.1716.
var logTerms = [...]float64{
	2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
	2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2,
}

// log returns the natural logarithm of x, within 1e-15 relative: x is 2^k m
// with m in [sqrt(1/2), sqrt(2)), and s is (m-1)/(m+1).
func log(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := (m - 1) / (m + 1)
	series := float64(s * polynomial(logTerms[:], float64(s*s)))
	return float64(float64(k)*ln2High) + (series + float64(float64(k)*ln2Low))
}

// polynomial evaluates the polynomial with the given terms, highest power
// first, at x (Horner's scheme).
func polynomial(terms []float64, x float64) float64 {
	sum := 0.0
	for _, t := range terms {
		sum = float64(sum*x) + t
	}
	return sum
}
