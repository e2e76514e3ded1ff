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
	split   split
}

// split divides the stated latency between instructions and a fixed cost.
type split func(solver, Machine) (Machine, error)

// The divisions: with the instruction that the machine has, and the ends.
func asAssumed(s solver, m Machine) (Machine, error)       { return s.at(m, m.timing.Instruction) }
func fastInstruction(s solver, m Machine) (Machine, error) { return s.at(m, trio.InstructionLeast) }
func slowInstruction(s solver, m Machine) (Machine, error) {
	most, err := s.most(m)
	if err != nil {
		return m, err
	}
	return s.at(m, most)
}

// threadHeld has packets hold their thread for the fixed cost also.
func threadHeld(s solver, m Machine) (Machine, error) {
	m, err := asAssumed(s, m)
	m.timing.Dispatch += m.timing.Packet
	m.timing.Packet = 0
	return m, err
}

// at returns the machine with the choice, solved with it for the stated latency.
func (c *pfeChoice) at(m Machine, target units.Duration) (Machine, error) {
	if c.change != nil {
		c.change(&m)
	}
	m, err := c.split(solver{latencyReading: c.reading, target: target}, m)
	if err != nil {
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
	wide := func(bytes int) func(*Machine) { // without a program, an engine compiles it for its machine
		return func(m *Machine) { m.Memory.AddBytes, m.prog = bytes, nil }
	}
	all := latencyReadings[0]
	return []pfeChoice{
		{"adds of 8 bytes (trio.add-width)", all, wide(8), asAssumed},
		{"adds of 64 bytes (trio.add-width)", all, wide(64), asAssumed},
		{"adds at 8 bytes a clock (trio.rmw-rate)", all, func(m *Machine) { m.Memory.AddTime = bareAdd }, asAssumed},
		{"late packets: stale-drop (trio.late-record)", all, late(program.LateStale), asAssumed},
		{"late packets: naive (trio.late-record)", all, late(program.LateNaive), asAssumed},
	}
}

// pfeChoices are all that moves what many packets at once take, each alone.
func pfeChoices() []pfeChoice {
	all := latencyReadings[0]
	out := []pfeChoice{
		{"instructions of 2 clocks, the rest a fixed cost (trio.clock-per-instr)", all, nil, fastInstruction},
		{"nothing but instructions, no fixed cost (trio.clock-per-instr)", all, nil, slowInstruction},
		{"packets hold a thread for the fixed cost (trio.clock-per-instr)", all, nil, threadHeld},
	}
	for _, s := range ThreadRange {
		out = append(out, pfeChoice{
			fmt.Sprintf("%d PPEs of %d threads (trio.ppe-count)", s.PPEs, s.Threads), all,
			func(m *Machine) { m.PPEs, m.Threads = s.PPEs, s.Threads }, asAssumed,
		})
	}
	for _, d := range DRAMRange {
		out = append(out, pfeChoice{fmt.Sprintf("DRAM of %v", d), all, func(m *Machine) { m.Memory.DRAMLatency = d }, asAssumed})
	}
	out = append(out, pfeChoice{"latency: " + latencyReadings[1].name + " (trio.latency-definition)", latencyReadings[1], nil, asAssumed})
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
