package units

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// quantity is how values of a type are written and read.
type quantity[T ~int64] struct {
	name  string
	units []unit[T] // that values are written in, the largest first, one of size 1 last
	more  []unit[T] // that are also read

	// For errors: what to write, the list of all units, and the one that fits most.
	write, allowed, usual string
}

type unit[T ~int64] struct {
	suffix string
	size   T
}

// rounded writes v to three decimals in the largest unit that leaves a number of at
// least one, or else in the last.
func (q *quantity[T]) rounded(v T) string {
	for _, u := range q.units {
		if v >= u.size {
			s := strconv.FormatFloat(float64(v)/float64(u.size), 'f', 3, 64)
			return strings.TrimRight(strings.TrimRight(s, "0"), ".") + u.suffix
		}
	}
	return strconv.FormatInt(int64(v), 10) + q.units[len(q.units)-1].suffix
}

// exact writes v without rounding, so that a file read back gives v again.
func (q *quantity[T]) exact(v T) string {
	u := q.units[slices.IndexFunc(q.units, func(u unit[T]) bool { return v%u.size == 0 })]
	return strconv.FormatInt(int64(v/u.size), 10) + u.suffix
}

// parse reads a number and its unit.
func (q *quantity[T]) parse(text string) (T, error) {
	num, suffix := splitUnit(text)
	for _, u := range slices.Concat(q.units, q.more) {
		if u.suffix == suffix {
			v, err := parseMultiple(text, num, u.size)
			if err != nil {
				return 0, fmt.Errorf("%s %w", q.name, err)
			}
			return v, nil
		}
	}
	if suffix == "" {
		return 0, fmt.Errorf("%s %q has no unit: write %s, as in %q", q.name, text, q.write, text+q.usual)
	}
	return 0, fmt.Errorf("%s %q has unknown unit %q: allowed are %s", q.name, text, suffix, q.allowed)
}

func splitUnit(text string) (num, unit string) {
	i := strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && r != '.' && r != '-' && r != '+'
	})
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

func parseNumber(text, num string) (float64, error) {
	v, err := strconv.ParseFloat(num, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number with a unit", text)
	}
	if v < 0 {
		return 0, fmt.Errorf("%q is negative: it must be zero or more", text)
	}
	return v, nil
}

// parseMultiple returns num times size, rounded to the nearest integer where
// num has a fraction, or an error where it does not fit.
func parseMultiple[T ~int64](text, num string, size T) (T, error) {
	if n, err := strconv.ParseUint(num, 10, 64); err == nil { // exact past 2^53, where float64 is not
		if hi, lo := bits.Mul64(n, uint64(size)); hi == 0 && lo <= math.MaxInt64 {
			return T(lo), nil
		}
		return 0, fmt.Errorf("%q is too large", text)
	}
	v, err := parseNumber(text, num)
	if err != nil {
		return 0, err
	}
	if r := math.Round(v * float64(size)); r < math.MaxInt64 {
		return T(r), nil
	}
	return 0, fmt.Errorf("%q is too large", text)
}
