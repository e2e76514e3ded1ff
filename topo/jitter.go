package topo

import (
	"fmt"
	"slices"
	"strings"
)

// Distribution says how the delay of frames varies around that of a link, which Jitter scales. The
// zero value is uniform.
//
//	uniform   Delay + Jitter · u,   u uniform in [-1, 1)
//	normal    Delay + Jitter · z,   z standard normal, cut off at ±4: Jitter is the deviation
//	pareto    Delay + Jitter · (4/3)(x - 3/2),   x of Pareto with a = 3 from 1 on, cut off so
//	          that the factor of Jitter is 4 at most; it is -2/3 at least
//
// Both cuts, and the formula of pareto, are those of the tables of netem (iproute2, netem/pareto.c and
// NETEM_DIST_SCALE in linux/pkt_sched.h). A delay that would be below zero is zero.
type Distribution string

// The distributions.
const (
	Uniform Distribution = ""
	Normal  Distribution = "normal"
	Pareto  Distribution = "pareto"
)

// uniformWord is how files call the zero value.
const uniformWord = "uniform"

// DistributionWords are the distributions as files have them.
func DistributionWords() []string { return []string{uniformWord, string(Normal), string(Pareto)} }

// ParseDistribution reads the word of a file.
func ParseDistribution(word string) (Distribution, error) {
	if !slices.Contains(DistributionWords(), word) {
		return Uniform, fmt.Errorf("distribution %q: allowed are %s", word, strings.Join(DistributionWords(), ", "))
	}
	if word == uniformWord {
		return Uniform, nil
	}
	return Distribution(word), nil
}

// String returns the word of a file.
func (d Distribution) String() string {
	if d == Uniform {
		return uniformWord
	}
	return string(d)
}

// Validate reports a word that is none.
func (d Distribution) Validate() error {
	_, err := ParseDistribution(d.String())
	return err
}

// validateOrder reports what is wrong with how frames vary in their delay and overtake.
func (s LinkSpec) validateOrder(fault func(string, ...any)) {
	if s.Jitter < 0 {
		fault("jitter %v is negative: it must be zero or more", s.Jitter)
	} else if s.Jitter > max(s.Delay, 0) {
		fault("jitter %v exceeds delay %v: frames would arrive before they were sent", s.Jitter, s.Delay)
	}
	if s.Reorder > 0 && s.Delay <= 0 {
		fault("reorder %v needs a delay: without one no frame is on the wire to overtake", s.Reorder)
	}
	if s.ReorderGap < 0 || s.ReorderGap > MaxReorderGap {
		fault("reorder gap %d: allowed are 0 to %d", s.ReorderGap, MaxReorderGap)
	}
	if s.ReorderGap > 0 && s.Reorder == 0 {
		fault("reorder gap %d needs a reorder probability", s.ReorderGap)
	}
}

// MaxReorderGap bounds the gap between frames that overtake (assumed).
const MaxReorderGap = 1 << 30
