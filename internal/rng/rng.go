// Package rng derives named streams of random numbers from one root seed.
//
// Each consumer (a link, a worker, a fault) asks for a stream under its own
// name, so adding one never shifts the numbers of another:
//
//	root := rng.Root(1)
//	loss := root.Stream("link/h0-tor/loss")
//
// The generator is PCG-DXSM of math/rand/v2, whose sequence Go keeps stable;
// the conversions to floats and ranges are done here, so that they are stable
// too. Nothing in this package is seeded from a clock.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Root is the seed of a run; it is printed first in every report.
type Root uint64

// Stream returns the stream of that name. Two calls with one name return two
// generators of the same sequence.
func (r Root) Stream(name string) *Stream {
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], uint64(r))
	sum := sha256.Sum256(append(seed[:], name...))
	return &Stream{src: rand.NewPCG(binary.BigEndian.Uint64(sum[0:]), binary.BigEndian.Uint64(sum[8:]))}
}

// Stream is one sequence of random numbers. It is not safe for concurrent use.
type Stream struct{ src *rand.PCG }

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.src.Uint64() }

// Float64 returns a number in [0, 1) with 53 random bits.
func (s *Stream) Float64() float64 { return float64(s.src.Uint64()>>11) * (1.0 / (1 << 53)) }

// Uniform returns a number in [lo, hi).
func (s *Stream) Uniform(lo, hi float64) float64 { return interpolate(lo, hi, s.Float64()) }

// interpolate returns the point that divides [lo, hi) as f divides [0, 1).
func interpolate(lo, hi, f float64) float64 {
	v := lo + float64((hi-lo)*f)
	if v >= hi && lo < hi { // the sum was rounded up to hi
		return math.Nextafter(hi, lo)
	}
	return v
}

// IntN returns a number in [0, n). It panics when n is not positive.
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic("rng: IntN of a range without numbers")
	}
	hi, _ := bits.Mul64(s.src.Uint64(), uint64(n)) // bias below n/2^64
	return int(hi)
}

// Bernoulli returns true with probability p.
func (s *Stream) Bernoulli(p float64) bool { return s.Float64() < p }

// Normal returns a number of the standard normal distribution, as the sum of
// twelve uniform numbers less six: only additions in a fixed order, so the same
// on every machine; no tails past six, good enough to start a network's weights.
func (s *Stream) Normal() float64 {
	sum := -6.0
	for range 12 {
		sum += s.Float64()
	}
	return sum
}

// Perm returns a permutation of 0..n-1.
func (s *Stream) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.IntN(i + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}
