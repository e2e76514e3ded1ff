package chip

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

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
var ThreadRange = []struct{ Ppes, Threads int }{{96, 16}, {trio.MaxPPEs, 24}}

// DramRange are the ends of the latency of off-chip memory (Trio §2.3).
var DramRange = []units.Duration{300 * units.Nanosecond, 400 * units.Nanosecond}

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
			fmt.Sprintf("%d PPEs of %d threads (trio.ppe-count)", s.Ppes, s.Threads), all,
			func(m *Machine) { m.Ppes, m.Threads = s.Ppes, s.Threads },
		})
	}
	for _, d := range DramRange {
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
