package mem

import (
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// A policer record, PolicerBytes long, is a token bucket of bytes:
//
//	word 0   rate, bit/s
//	word 1   burst in bytes, 32 bits | tokens in whole bytes, 32 bits
//	word 2   part of a further token, in units of 1/8e12 byte
//	word 3   when tokens were last added, ps
//
// A rate of 1 bit/s brings exactly one unit of word 2 in a picosecond, so nothing
// is ever rounded. A program may write all four words itself; a record of zeros
// passes only packets of no bytes.
const (
	policerRate = iota
	policerBucket
	policerPart
	policerTime
)

// tokenParts is one byte in units of word 2: 8 bits of 10^12 each.
const tokenParts = 8_000_000_000_000

// SetPolicer writes a policer with a full bucket. A burst beyond 4 GiB less one
// byte is cut to that; a negative rate or burst is none.
func (m *Memory) SetPolicer(a Addr, rate units.Rate, burst units.Bytes, now units.Time) Fault {
	if _, _, f := m.reach(a, PolicerBytes); f != NoFault {
		return f
	}
	full := uint64(min(max(burst, 0), math.MaxUint32))
	m.store(a+policerRate, uint64(max(rate, 0)))
	m.store(a+policerBucket, full<<32|full)
	m.store(a+policerPart, 0)
	m.store(a+policerTime, uint64(max(now, 0)))
	return NoFault
}

// Police adds the tokens that time has brought to the policer at a, then takes
// what a packet of so many bytes costs. If there are too few it takes none and
// the packet exceeds the rate. A time before the last one brings nothing.
func (m *Memory) Police(a Addr, bytes uint32, now units.Time) (exceeds bool, f Fault) {
	if _, _, f := m.reach(a, PolicerBytes); f != NoFault {
		return false, f
	}
	bucket := m.load(a + policerBucket)
	burst, tokens := bucket>>32, bucket&math.MaxUint32
	last, t := m.load(a+policerTime), uint64(max(now, 0))
	part := m.load(a + policerPart)
	if t > last {
		tokens, part = refill(tokens, part, t-last, m.load(a+policerRate))
		m.store(a+policerTime, t)
	}
	if tokens >= burst {
		tokens, part = burst, 0
	}
	exceeds = tokens < uint64(bytes)
	if !exceeds {
		tokens -= uint64(bytes)
	}
	m.store(a+policerBucket, burst<<32|tokens)
	m.store(a+policerPart, part)
	return exceeds, NoFault
}

// refill returns tokens with what a rate brings in so many picoseconds. Where
// that is more than any bucket holds, so is the result.
func refill(tokens, part, ps, rate uint64) (uint64, uint64) {
	hi, lo := bits.Mul64(ps, rate)
	lo, carry := bits.Add64(lo, part%tokenParts, 0)
	hi += carry // no overflow: a product of two 64-bit numbers leaves room for one more
	if hi >= tokenParts {
		return math.MaxUint32, 0
	}
	more, part := bits.Div64(hi, lo, tokenParts)
	if more > math.MaxUint32 {
		return math.MaxUint32, 0
	}
	return tokens + more, part
}
