package chip

import (
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Machine is an emulated PFE under the clock, with what experiments vary, and
// the links and hosts around it.
type Machine struct {
	prog          *isa.Program // nil: not Trio-ML
	PPEs, Threads int          // threads of each PPE
	timing        trio.Timing
	Memory        mem.Config
	late          program.LatePolicy // empty: the program's default
	link, host    units.Duration     // delay of a link; software of a host, one way
}

// NewTrio is [NewMachine] with the program of Trio-ML, and the fixed cost of a packet
// that is missing to the stated latency with the constants as they are.
func NewTrio(e *experiment.Env) (m Machine, err error) {
	m = NewMachine(e)
	if m.prog, err = microcode.CompileFor(isa.Machine{AddBytes: m.Memory.AddBytes}); err != nil {
		return m, err
	}
	s, err := newSolver()
	if err != nil {
		return m, err
	}
	return s.at(m, m.timing.Instruction)
}

// NewMachine returns the PFE that the constants say, of any program. Packets have the fixed
// cost that goes with the default constants.
func NewMachine(e *experiment.Env) Machine {
	ns := func(name string) units.Duration { return units.Nanosecond.Scale(e.Constants.Get(name)) }
	whole := func(name string) int { return int(math.Round(e.Constants.Get(name))) }
	m := Machine{PPEs: whole("pfe.ppes"), Threads: whole("pfe.threads"), timing: trio.DefaultTiming()}
	m.timing.Dispatch, m.timing.Tail, m.timing.Crossbar = ns("pfe.dispatch"), ns("pfe.tail"), ns("pfe.crossbar")
	m.timing.Output, m.timing.TailBytesPerCycle = ns("pfe.output"), whole("pfe.tail-bytes")
	m.timing.Instruction = ns("pfe.instruction")
	m.Memory = mem.Config{
		AddBytes:    whole("pfe.add-bytes"),
		SRAMLatency: ns("pfe.sram"), DRAMLatency: ns("pfe.dram"), HashLatency: ns("pfe.hash"), HashAccess: ns("pfe.hash-access"), QueueTime: ns("pfe.queue"),
	}
	m.link, m.host = units.Microsecond.Scale(e.Constants.Get("link.delay")), units.Microsecond.Scale(e.Constants.Get("dpdk.latency"))
	return m
}

// Model says in results what they are of.
const Model = "Microcode on an emulated PFE, timed: threads, memory banks and their engines; the cost of an instruction is assumed, and the fixed cost of a packet what is missing to Fig 15 at 64 gradients"

// PFE is the machine as a job describes it.
func (m *Machine) PFE() trioml.PFE {
	timing := m.timing
	return trioml.PFE{PPEs: m.PPEs, Threads: m.Threads, Timing: &timing, Memory: m.Memory}
}
