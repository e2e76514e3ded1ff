package gradient

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/vec"
)

// Rule is how SwitchML's scaling factor of a block follows from the exponent
// that workers agree on. The two formulas of the paper differ, and one of them
// lets sums overflow (ambiguity switchml.f-overflow).
type Rule string

// The rules. With n workers, factors are f, and x is rounded to q:
//
//	rule         exponent     factor              rounding     the sum of n values
//	appendix-e   2^e > |x|    (2^31-n)/(n 2^e)    to nearest   always fits
//	section-4.6  2^e >= |x|   (2^31-1)/(n 2^e)    to nearest   is 2^31 for n = 2, 4, 8, ... values of 2^e, which wraps
//	floor        2^e >= |x|   (2^31-1)/(n 2^e)    to zero      always fits
const (
	AppendixE Rule = "appendix-e" // Theorem 2; the default
	Section46 Rule = "section-4.6"
	Floor     Rule = "floor"
)

// Rules are the names of all rules, the default first.
func Rules() []string { return []string{string(AppendixE), string(Section46), string(Floor)} }

// Validate reports a rule that is none. The zero value is AppendixE.
func (r Rule) Validate() error {
	switch r {
	case "", AppendixE, Section46, Floor:
		return nil
	}
	return fmt.Errorf("scaling %q: allowed are %s, %s, %s", string(r), AppendixE, Section46, Floor)
}

// literal reports whether the factor is that of §4.6.
func (r Rule) literal() bool { return r == Section46 || r == Floor }

// Exponent returns the exponent of a block, as [Exponent] does; under the rules
// of §4.6 a power of two is its own bound.
func (r Rule) Exponent(g []float32) int8 {
	top := vec.MaxMagnitude(g)
	if top == 0 {
		return ExponentNone
	}
	e := int(top>>23) - 126
	if r.literal() && top&(1<<23-1) == 0 && top < infinity {
		e--
	}
	return int8(max(-126, min(math.MaxInt8, e)))
}

// infinity is its bits as a float32.
const infinity = 0xff << 23

// Factor returns the scaling factor of n workers whose largest exponent is e.
func (r Rule) Factor(n int, e int8) float64 {
	if r.literal() {
		return blockFactor(math.MaxInt32/float64(n), e)
	}
	return BlockFactor(n, e)
}

// Quantise writes x*f, rounded as the rule says, for each x of g to q and
// returns how many values saturated.
func (r Rule) Quantise(q []int32, g []float32, f float64) (saturated int) {
	if r != Floor {
		return QuantiseBlock(q, g, f)
	}
	for i, v := range g {
		scaled := float64(float64(v) * f)
		if scaled > math.MinInt32-1 && scaled < math.MaxInt32+1 {
			q[i] = int32(scaled)
			continue
		}
		q[i] = saturate(v, f)
		saturated++
	}
	return saturated
}
