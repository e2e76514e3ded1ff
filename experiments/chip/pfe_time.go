package chip

import (
	"fmt"
	"sort"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio"
)

// The time of a packet in a PFE has two parts that no source gives: what an instruction
// takes, and what a packet takes whatever its thread executes (its head, dispatch, the way
// to a thread). One number bounds their sum, the stated latency of a packet of 64
// gradients. So one of them is free:
//
//	stated latency = fixed cost + instructions x cost of one + XTXNs
//	                 |<-- all of it, at 2 clocks an instruction --> 0 -->|
//
// The cost of an instruction is taken as assumed, or at one of its ends: the "multiple
// clocks" of Trio §2.2, and what leaves nothing for a fixed cost. The fixed cost follows.

// latencyReading is what the latency of aggregation is (ambiguity
// trio.latency-definition).
type latencyReading struct {
	name    string
	latency func(*pfePoint) units.Duration
}

// latencyReadings are both; machines are solved for the first where nothing else is said.
// In either, the time of a packet ends with its thread.
var latencyReadings = []latencyReading{
	{"all packets, with result building", func(p *pfePoint) units.Duration { return p.all }},
	{"packets that build no result", func(p *pfePoint) units.Duration { return p.adding }},
}

// The point of Fig 15 that the paper's text states.
const (
	statedGrads  = 64
	statedBlocks = 50  // that are run; blocks of window 1 repeat each other
	dearest      = 4e3 // ns of an instruction that are tried
)

// statedLatency is what the paper says of 64 gradients.
func statedLatency() (units.Duration, error) {
	paper := experiment.NewPrinted()
	return units.Microsecond.Scale(paper.Claimed("trio.fig15.latency.64")), paper.Err()
}

// lone is the load of Fig 15: one packet of each server at a time.
func lone(grads, blocks int, apart units.Duration) pfeLoad {
	return pfeLoad{grads: grads, window: 1, warmup: 5, count: blocks, apart: apart}
}

// solver is the stated point in one reading.
type solver struct {
	latencyReading
	apart  units.Duration // by which each server is slower than the one before
	target units.Duration // at statedGrads and window 1
}

// newSolver is the stated point in the first reading.
func newSolver() (s solver, err error) {
	s.latencyReading = latencyReadings[0]
	s.target, err = statedLatency()
	return s, err
}

// bare returns the latency at the stated point without a fixed cost.
func (s solver) bare(m Machine, instruction units.Duration) (units.Duration, error) {
	m.timing.Instruction, m.timing.Packet = instruction, 0
	p, err := pfeRun{m, lone(statedGrads, statedBlocks, s.apart)}.measure()
	return s.latency(&p), err
}

// slack is how far rounding an instruction to whole nanoseconds may go beyond the stated
// latency, as a divisor of it.
const slack = 200

// at returns the machine with a cost of an instruction, and with the fixed cost that is
// then missing to the stated latency. A fixed cost shifts all packets alike, so that it
// need not be searched for.
func (s solver) at(m Machine, instruction units.Duration) (Machine, error) {
	bare, err := s.bare(m, instruction)
	if err != nil {
		return m, err
	}
	if bare > s.target+s.target/slack {
		return m, fmt.Errorf("an instruction of %v makes a packet of %d gradients take %v, and the paper states %v: take less than that", instruction, statedGrads, bare, s.target)
	}
	m.timing.Instruction, m.timing.Packet = instruction, max(0, s.target-bare)
	return m, nil
}

// most returns the cost of an instruction, in whole nanoseconds, with which nothing is left
// for a fixed cost. Latency grows with it, so that halving finds it.
func (s solver) most(m Machine) (units.Duration, error) {
	var failed error
	latency := func(ns int) units.Duration {
		d, err := s.bare(m, units.Duration(ns)*units.Nanosecond)
		if err != nil {
			failed = err
		}
		return d
	}
	ns := sort.Search(dearest, func(ns int) bool { return ns > 0 && failed == nil && latency(ns) >= s.target })
	if ns > 1 && s.target-latency(ns-1) < latency(ns)-s.target {
		ns--
	}
	if failed == nil && ns >= dearest {
		failed = fmt.Errorf("an instruction of %g ns is not enough for a latency of %v", dearest, s.target)
	}
	return units.Duration(ns) * units.Nanosecond, failed
}

// ends returns the machine at both ends of what an instruction may take, the cheap
// instruction with the high fixed cost first.
func (s solver) ends(m Machine) (out [2]Machine, err error) {
	if out[0], err = s.at(m, trio.InstructionLeast); err != nil {
		return out, err
	}
	most, err := s.most(m)
	if err != nil {
		return out, err
	}
	out[1], err = s.at(m, most)
	return out, err
}

// Ends returns the machine at both ends of what an instruction may take and a packet
// beside it, both solved for the latency that the paper states.
func (m *Machine) Ends() ([2]Machine, error) {
	s, err := newSolver()
	if err != nil {
		return [2]Machine{}, err
	}
	return s.ends(*m)
}

// Times says what an instruction takes, and a packet beside its instructions: "20 ns an
// instruction, 25.1 us a packet".
func (m *Machine) Times() string {
	return fmt.Sprintf("%d ns an instruction, %.1f us a packet", m.timing.Instruction/units.Nanosecond, m.timing.Packet.Seconds()*1e6)
}
