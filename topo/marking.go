package topo

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Marking has a link mark congestion (ECN, RFC 3168) by the bytes that wait for its line when a
// frame comes. The zero value marks nothing.
//
//	probability
//	  1 |            +-----------     Min = Max: a threshold, as DCTCP has it (RFC 8257 §4.1)
//	    |            |
//	  P |          __|                Weight 0: the depth itself (the marking of DCQCN)
//	    |      __--                   Weight w: its moving average (RED)
//	  0 +-----+------+----------- depth
//	         Min    Max
//
// A threshold marks frames that can be marked, and leaves others alone. On the slope and above
// it, a frame that cannot be marked is dropped in place of a mark (RFC 3168 §5).
type Marking struct {
	Min    units.Bytes `json:"min"`              // nothing is marked up to here
	Max    units.Bytes `json:"max"`              // every frame is marked above
	P      float64     `json:"p,omitempty"`      // probability at Max; of a slope only
	Weight float64     `json:"weight,omitempty"` // of a new depth in the average; of a slope only; zero: no average
}

// On reports whether anything is marked.
func (m Marking) On() bool { return m.Max > 0 }

// Threshold reports whether m is a threshold rather than a slope.
func (m Marking) Threshold() bool { return m.Min == m.Max }

// Validate reports all faults of m, joined.
func (m Marking) Validate() error {
	var errs errorList
	switch {
	case m.Min < 0 || m.Max < m.Min || m.Max == 0 && m != Marking{}:
		errs.add("marking from %v to %v: give depths above 0, the larger one last", m.Min, m.Max)
	case m.On() && m.Threshold() && (m.P != 0 || m.Weight != 0):
		errs.add("marking from %v on has no slope: leave out its probability and weight, or give another depth at which every frame is marked", m.Min)
	case m.On() && !m.Threshold() && !(m.P > 0 && m.P <= 1):
		errs.add("marking at %v with probability %v: it must be above 0, and 1 at most", m.Max, m.P)
	}
	if !(m.Weight >= 0 && m.Weight <= 1) {
		errs.add("weight %v of the average depth: it must be 0..1", m.Weight)
	}
	return errs.join()
}

// errorList collects faults.
type errorList []error

func (l *errorList) add(format string, args ...any) { *l = append(*l, fmt.Errorf(format, args...)) }

func (l errorList) join() error { return errors.Join(l...) }
