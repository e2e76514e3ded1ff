package units

import (
	"math"
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

var durations = quantity[Duration]{
	name: "time", write: "s, ms, us, ns or ps", allowed: "s, ms, us, ns, ps", usual: "ms",
	units: []unit[Duration]{
		{"s", Second}, {"ms", Millisecond}, {"us", Microsecond}, {"ns", Nanosecond}, {"ps", Picosecond},
	},
}

// String writes d with the largest unit that leaves a number of at least one.
func (d Duration) String() string {
	switch {
	case d == 0:
		return "0s"
	case d < 0 && d != math.MinInt64:
		return "-" + (-d).String()
	}
	return durations.rounded(d)
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
func ParseDuration(text string) (Duration, error) { return durations.parse(text) }

// UnmarshalText lets configuration files hold spans.
func (d *Duration) UnmarshalText(b []byte) (err error) { *d, err = ParseDuration(string(b)); return }

// MarshalText writes the form that [ParseDuration] reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(durations.exact(d)), nil }
