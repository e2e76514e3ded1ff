package chip

import (
	"fmt"
	"sort"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
)

// latencyReading is what the latency of aggregation is (ambiguity
// trio.latency-definition).
type latencyReading struct {
	name string
	of   func(*pfePoint) units.Duration
}

// latencyReadings are both; the first is the one that is calibrated on. In either,
// the time of a packet ends with its thread.
var latencyReadings = []latencyReading{
	{"all packets, with result building", func(p *pfePoint) units.Duration { return p.all }},
	{"packets that build no result", func(p *pfePoint) units.Duration { return p.adding }},
}

// The point of Fig 15 on which the cost of an instruction is calibrated.
const (
	calibrationGrads  = 64
	calibrationBlocks = 50  // blocks of window 1 repeat each other
	dearest           = 4e3 // ns of an instruction that are tried
)

// calibrate returns the cost of an instruction, in whole nanoseconds, at which the
// latency at 64 gradients and window 1 is nearest to target. Latency grows with the
// cost, so that halving finds it; nothing else is fitted.
func calibrate(m Machine, r latencyReading, apart, target units.Duration) (units.Duration, error) {
	var failed error
	latency := func(ns int) units.Duration {
		p, err := m.at(units.Duration(ns)*units.Nanosecond, lone(calibrationGrads, calibrationBlocks, apart)).measure()
		if err != nil {
			failed = err
		}
		return r.of(&p)
	}
	ns := sort.Search(dearest, func(ns int) bool { return ns > 0 && failed == nil && latency(ns) >= target })
	if ns > 1 && target-latency(ns-1) < latency(ns)-target {
		ns--
	}
	if failed == nil && ns >= dearest {
		failed = fmt.Errorf("calibrating: an instruction of %g ns is not enough for a latency of %v", dearest, target)
	}
	return units.Duration(ns) * units.Nanosecond, failed
}

// at returns a run with another cost of an instruction.
func (m Machine) at(instruction units.Duration, l pfeLoad) pfeRun {
	m.timing.Instruction = instruction
	return pfeRun{m, l}
}

// lone is the load of Fig 15: one packet of each server at a time.
func lone(grads, blocks int, apart units.Duration) pfeLoad {
	return pfeLoad{grads: grads, window: 1, warmup: 5, count: blocks, apart: apart}
}

// statedLatency is what the paper says of 64 gradients.
func statedLatency() (units.Duration, error) {
	paper, err := experiment.NewPrinted()
	if err != nil {
		return 0, err
	}
	return units.Microsecond.Scale(paper.Claimed("trio.fig15.latency.64")), paper.Err()
}
