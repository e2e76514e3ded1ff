package units

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Time is an instant: picoseconds since the epoch of the run.
type Time int64

// Duration is a span of time in picoseconds.
type Duration int64

// Never is the deadline of a machine that waits for nothing.
const Never Time = math.MaxInt64

// Spans, in picoseconds.
const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// Add returns the instant d after t; [Never] stays [Never], and an instant
// past the end of time is [Never].
func (t Time) Add(d Duration) Time {
	if t == Never || d > 0 && int64(t) > math.MaxInt64-int64(d) {
		return Never
	}
	return t + Time(d)
}

// Sub returns the span from u to t.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Seconds returns t as floating-point seconds, for reports only.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// Seconds returns d as floating-point seconds, for reports only.
func (d Duration) Seconds() float64 { return float64(d) / float64(Second) }

// Milliseconds returns d as floating-point milliseconds, for reports only.
func (d Duration) Milliseconds() float64 { return float64(d) / float64(Millisecond) }

// Scale returns d times f, rounded to the nearest picosecond.
func (d Duration) Scale(f float64) Duration { return Duration(math.Round(float64(d) * f)) }

var timeUnits = []struct {
	suffix string
	size   Duration
}{
	{"s", Second}, {"ms", Millisecond}, {"us", Microsecond}, {"ns", Nanosecond}, {"ps", Picosecond},
}

// String writes d with the largest unit that leaves a number of at least one.
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	abs := d
	if abs < 0 {
		abs = -abs
	}
	for _, u := range timeUnits {
		if abs >= u.size {
			return trimFloat(float64(d)/float64(u.size)) + u.suffix
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ps"
}

// String writes t as a span since the epoch of the run.
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return Duration(t).String()
}

// ParseDuration reads a span such as "10ms", "1.5us" or "2s". The unit is
// required and the span must not be negative.
func ParseDuration(text string) (Duration, error) {
	num, unit := splitUnit(text)
	for _, u := range timeUnits {
		if u.suffix == unit {
			d, err := parseMultiple(text, num, u.size)
			if err != nil {
				return 0, fmt.Errorf("time %w", err)
			}
			return d, nil
		}
	}
	if unit == "" {
		return 0, fmt.Errorf("time %q has no unit: write s, ms, us, ns or ps, as in %q", text, text+"ms")
	}
	return 0, fmt.Errorf("time %q has unknown unit %q: allowed are s, ms, us, ns, ps", text, unit)
}

// UnmarshalText lets configuration files hold spans.
func (d *Duration) UnmarshalText(b []byte) (err error) { *d, err = ParseDuration(string(b)); return }

// MarshalText writes the form that [ParseDuration] reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.exact()), nil }

// exact writes d without rounding, so that a file read back gives d again.
func (d Duration) exact() string {
	for _, u := range timeUnits {
		if d%u.size == 0 {
			return strconv.FormatInt(int64(d/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ps"
}

func trimFloat(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
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
