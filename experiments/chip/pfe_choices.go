package chip

import (
	"fmt"
	"sort"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// latencyReading is what the latency of aggregation is (ambiguity
// trio.latency-definition).
type latencyReading struct {
	name    string
	latency func(*pfePoint) units.Duration
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
		return r.latency(&p)
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
	paper := experiment.NewPrinted()
	return units.Microsecond.Scale(paper.Claimed("trio.fig15.latency.64")), paper.Err()
}

// pfeChoice is one thing that the paper leaves open about a PFE, decided otherwise
// than the figures have it.
type pfeChoice struct {
	name    string
	reading latencyReading
	change  func(*Machine)
}

// at returns the machine with the choice, and calibrated with it.
func (c *pfeChoice) at(m Machine, target units.Duration) (Machine, error) {
	c.change(&m)
	var err error
	if m.timing.Instruction, err = calibrate(m, c.reading, 0, target); err != nil {
		return m, fmt.Errorf("%s: %w", c.name, err)
	}
	return m, nil
}

// ThreadRange are the ends of ambiguity trio.ppe-count.
var ThreadRange = []struct{ PPEs, Threads int }{{96, 16}, {trio.MaxPPEs, 24}}

// DRAMRange are the ends of the latency of off-chip memory (Trio §2.3).
var DRAMRange = []units.Duration{300 * units.Nanosecond, 400 * units.Nanosecond}

// bareAdd is a 32-bit add at the rate of plain access, 8 bytes a clock (ambiguity
// trio.rmw-rate).
const bareAdd = mem.Cycle / 2

// addChoices are what is open about additions and late packets.
func addChoices() []pfeChoice {
	late := func(p program.LatePolicy) func(*Machine) { return func(m *Machine) { m.late = p } }
	all := latencyReadings[0]
	return []pfeChoice{
		{"adds at 8 bytes a clock (trio.rmw-rate)", all, func(m *Machine) { m.Memory.AddTime = bareAdd }},
		{"late packets: stale-drop (trio.late-record)", all, late(program.LateStale)},
		{"late packets: naive (trio.late-record)", all, late(program.LateNaive)},
	}
}

// pfeChoices are all that moves what many packets at once take, each alone.
func pfeChoices() (out []pfeChoice) {
	all := latencyReadings[0]
	for _, s := range ThreadRange {
		out = append(out, pfeChoice{
			fmt.Sprintf("%d PPEs of %d threads (trio.ppe-count)", s.PPEs, s.Threads), all,
			func(m *Machine) { m.PPEs, m.Threads = s.PPEs, s.Threads },
		})
	}
	for _, d := range DRAMRange {
		out = append(out, pfeChoice{fmt.Sprintf("DRAM of %v", d), all, func(m *Machine) { m.Memory.DRAMLatency = d }})
	}
	out = append(out, pfeChoice{"latency: " + latencyReadings[1].name + " (trio.latency-definition)", latencyReadings[1], func(*Machine) {}})
	return append(out, addChoices()...)
}

// headChunks returns the chunks of the tail of a packet of so many gradients, where
// the head holds so many bytes of gradients (ambiguity trio.head-split).
func headChunks(grads, head int) int {
	const chunk = 64 // Trio §4
	return max(4*grads-head+chunk-1, 0) / chunk
}

// Bytes of gradients in a head of 192: counted from the IP header on, as the program
// has it, and behind all headers.
const (
	headFromIP    = 152
	headFromStart = 138
)
