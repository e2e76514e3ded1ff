package units

import (
	"fmt"
	"math/bits"
)

// Rate is a data rate in bits per second. Zero means unlimited.
type Rate int64

// Decimal rates.
const (
	BitPerSecond  Rate = 1
	KbitPerSecond      = 1000 * BitPerSecond
	MbitPerSecond      = 1000 * KbitPerSecond
	GbitPerSecond      = 1000 * MbitPerSecond
)

var rates = quantity[Rate]{
	name: "rate", write: "bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s",
	allowed: "bit/s, Kbit/s, Mbit/s, Gbit/s, Tbit/s (or bps)", usual: "Gbit/s",
	units: []unit[Rate]{
		{"Tbit/s", 1000 * GbitPerSecond}, {"Gbit/s", GbitPerSecond}, {"Mbit/s", MbitPerSecond}, {"Kbit/s", KbitPerSecond}, {"bit/s", BitPerSecond},
	},
	more: []unit[Rate]{
		{"Tbps", 1000 * GbitPerSecond}, {"Gbps", GbitPerSecond}, {"Mbps", MbitPerSecond}, {"Kbps", KbitPerSecond}, {"bps", BitPerSecond},
	},
}

// String writes r in decimal units; zero is "unlimited".
func (r Rate) String() string {
	if r == 0 {
		return "unlimited"
	}
	return rates.rounded(r)
}

// ParseRate reads a rate such as "100Gbit/s" or "1Gbps", or "unlimited". The
// unit is required; rates are decimal and positive.
func ParseRate(text string) (Rate, error) {
	if text == "unlimited" {
		return 0, nil
	}
	r, err := rates.parse(text)
	if err == nil && r == 0 {
		return 0, fmt.Errorf("rate %q is below 1bit/s: write \"unlimited\" for a link without a rate", text)
	}
	return r, err
}

// UnmarshalText lets configuration files hold rates.
func (r *Rate) UnmarshalText(b []byte) (err error) { *r, err = ParseRate(string(b)); return }

// MarshalText writes the form that [ParseRate] reads.
func (r Rate) MarshalText() ([]byte, error) {
	if r == 0 {
		return []byte("unlimited"), nil
	}
	return []byte(rates.exact(r)), nil
}

// TimeToSend returns how long n bytes take at rate r, rounded down; zero where
// r is unlimited. For a sum of many frames use a [Serializer].
func (r Rate) TimeToSend(n Bytes) Duration {
	s := Serializer{Rate: r}
	return s.Advance(n)
}

// Serializer turns bytes into time at one rate and carries the remainder of
// every division, so that the sum over many frames is exact to a picosecond.
// The zero value sends in no time.
type Serializer struct {
	Rate Rate   // bits per second; zero is unlimited
	rem  uint64 // picoseconds times bits per second that are not yet charged, below Rate
}

// Advance returns the time that the next n bytes occupy the line.
func (s *Serializer) Advance(n Bytes) Duration {
	if s.Rate <= 0 || n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), 8*uint64(Second))
	lo, carry := bits.Add64(lo, s.rem, 0)
	hi += carry
	if hi >= uint64(s.Rate) { // longer than 2^64 ps: no run lasts so long
		return Duration(Never)
	}
	q, rem := bits.Div64(hi, lo, uint64(s.Rate))
	s.rem = rem
	if q > uint64(Never) {
		return Duration(Never)
	}
	return Duration(q)
}
