package topo

import (
	"fmt"
	"math"
)

// Bursts loses frames in bursts, after Gilbert (1960) and Elliott (1963). A link is good or
// bad. A frame is lost with the probability of the state that it meets, and then the state may
// change. A link begins good. The zero value loses nothing.
//
//	       Enter
//	good  ------->  bad       lost: Good or Bad of the frames
//	      <-------
//	       Leave
type Bursts struct {
	Enter float64 `json:"enter"`          // probability, for each frame, that a good link turns bad
	Leave float64 `json:"leave"`          // that a bad link turns good
	Good  float64 `json:"good,omitempty"` // probability of loss while good
	Bad   float64 `json:"bad"`            // while bad
}

// MeanBursts returns the bursts that lose the fraction loss of all frames, in bad spells of
// length frames on average in which every frame is lost.
func MeanBursts(loss, length float64) (Bursts, error) {
	if !(loss > 0 && loss < 1) || !(length >= 1) {
		return Bursts{}, fmt.Errorf("a loss of %g%% in bursts of %g frames: give a loss between 0%% and 100%%, and bursts of 1 frame or more", 100*loss, length)
	}
	b := Bursts{Leave: 1 / length, Bad: 1}
	b.Enter = b.Leave * loss / (1 - loss)
	if b.Enter > 1 {
		return Bursts{}, fmt.Errorf("a loss of %g%% in bursts of %g frames: the gaps would be shorter than a frame: give bursts of %.3g frames or more", 100*loss, length, loss/(1-loss))
	}
	return b, nil
}

// Mean returns the fraction of frames that are lost in the long run.
func (b Bursts) Mean() float64 {
	if b.Enter == 0 {
		return b.Good
	}
	return (b.Leave*b.Good + b.Enter*b.Bad) / (b.Leave + b.Enter)
}

// Deviation returns the standard deviation of the share of losses in n frames, times the root of n: losses of one
// state hang together over the memory of the chain, 1-Enter-Leave.
func (b Bursts) Deviation() float64 {
	if b.Enter == 0 {
		return math.Sqrt(b.Good * (1 - b.Good))
	}
	mean, memory := b.Mean(), 1-b.Enter-b.Leave
	bad := b.Enter / (b.Enter + b.Leave)
	between := bad * (1 - bad) * (b.Bad - b.Good) * (b.Bad - b.Good)
	return math.Sqrt(mean*(1-mean) + 2*between*memory/(1-memory))
}

// Validate reports all faults of b, joined.
func (b Bursts) Validate() error {
	var errs errorList
	for _, p := range []struct {
		name string
		v    float64
	}{{"enter", b.Enter}, {"leave", b.Leave}, {"loss while good", b.Good}, {"loss while bad", b.Bad}} {
		if !(p.v >= 0 && p.v <= 1) { // written so that NaN fails
			errs.add("bursts: %s %v is not a probability: it must be 0..1", p.name, p.v)
		}
	}
	if b.Enter > 0 && b.Leave == 0 {
		errs.add("bursts: a link that turns bad never turns good again: leave must be above 0")
	}
	return errs.join()
}
