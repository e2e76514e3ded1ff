package experiments

import (
	"math"

	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/switchd/microcode/isa"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// pfeConstants are those of the emulated PFE, with the names that experiments ask
// for them by. Packages trio and mem have the values and the reasons.
func pfeConstants() []hostmodel.Constant {
	ns := func(d units.Duration) float64 { return float64(d) / float64(units.Nanosecond) }
	return []hostmodel.Constant{
		{Name: "pfe.ppes", Value: trio.DefaultPPEs, Unit: "PPEs", Assumed: true, Source: "middle of 96 to 160 (ambiguity trio.ppe-count)"},
		{Name: "pfe.threads", Value: trio.DefaultThreads, Unit: "threads", Assumed: true, Source: "of each PPE: middle of 16 to 24 (ambiguity trio.ppe-count)"},
		{Name: "pfe.instruction", Value: ns(trio.InstructionCost), Unit: "ns", Assumed: true,
			Source: "of one instruction of a thread; calibrated on 30 us at 64 gradients and window 1 (Trio §6.3, Fig 15), and on nothing else"},
		{Name: "pfe.add-bytes", Value: 64, Unit: "bytes", Assumed: true, Source: "that one XTXN adds: as reads and writes, up to 64 (Trio §2.3)"},
		{Name: "pfe.dispatch", Value: ns(trio.DispatchDelay), Unit: "ns", Assumed: true, Source: "from a packet's arrival to its first instruction"},
		{Name: "pfe.output", Value: ns(trio.OutputDelay), Unit: "ns", Assumed: true, Source: "from the reorder engine to the output: the way of a packet to its thread backwards"},
		{Name: "pfe.tail", Value: ns(trio.TailLatency), Unit: "ns", Assumed: true, Source: "of a read from a packet's tail: that of off-chip memory (Trio §2.3)"},
		{Name: "pfe.tail-bytes", Value: trio.TailBytesPerCycle, Unit: "bytes", Assumed: true, Source: "of tails that all threads read in a clock"},
		{Name: "pfe.crossbar", Value: ns(trio.CrossbarLatency), Unit: "ns", Assumed: true, Source: "of a module on the chip that only answers: that of on-chip memory (Trio §2.3)"},
		{Name: "pfe.sram", Value: ns(mem.SRAMLatency), Unit: "ns", Source: "of on-chip memory: Trio §2.3, about 70 ns"},
		{Name: "pfe.dram", Value: ns(mem.DRAMLatency), Unit: "ns", Assumed: true, Source: "of off-chip memory: the middle of 300 to 400 ns (Trio §2.3)"},
		{Name: "pfe.hash", Value: ns(mem.HashLatency), Unit: "ns", Assumed: true, Source: "of the hash unit: that of on-chip memory (Trio §2.3)"},
		{Name: "pfe.hash-access", Value: ns(mem.HashAccess), Unit: "ns", Assumed: true, Source: "of an access to its index: a clock"},
		{Name: "pfe.queue", Value: ns(mem.QueueTime), Unit: "ns", Assumed: true, Source: "of work that an engine takes in ahead: two of the largest requests"},
	}
}

// pfeMachine is an emulated PFE under the clock, with what experiments vary, and
// the links and hosts around it.
type pfeMachine struct {
	prog          *isa.Program // nil: not Trio-ML
	ppes, threads int          // threads of each PPE
	timing        trio.Timing
	memory        mem.Config
	late          program.LatePolicy // empty: the program's default
	link, host    units.Duration     // delay of a link; software of a host, one way
}

// newTrioPFE is newPFEMachine with the program of Trio-ML.
func newTrioPFE(e *Env, calibrates bool) (m pfeMachine, err error) {
	m = newPFEMachine(e, calibrates)
	m.prog, err = microcode.Compile()
	return m, err
}

// newPFEMachine returns the PFE that the constants say. Who calibrates sets the cost
// of an instruction and does not ask for it.
func newPFEMachine(e *Env, calibrates bool) pfeMachine {
	ns := func(name string) units.Duration { return units.Nanosecond.Scale(e.Constants.Get(name)) }
	whole := func(name string) int { return int(math.Round(e.Constants.Get(name))) }
	m := pfeMachine{ppes: whole("pfe.ppes"), threads: whole("pfe.threads"), timing: trio.DefaultTiming()}
	m.timing.Dispatch, m.timing.Tail, m.timing.Crossbar = ns("pfe.dispatch"), ns("pfe.tail"), ns("pfe.crossbar")
	m.timing.Output, m.timing.TailBytesPerCycle = ns("pfe.output"), whole("pfe.tail-bytes")
	m.memory = mem.Config{
		SRAMLatency: ns("pfe.sram"), DRAMLatency: ns("pfe.dram"), HashLatency: ns("pfe.hash"), HashAccess: ns("pfe.hash-access"), QueueTime: ns("pfe.queue"),
	}
	if !calibrates {
		m.timing.Instruction = ns("pfe.instruction")
	}
	m.link, m.host = micro(e.Constants.Get("link.delay")), micro(e.Constants.Get("dpdk.latency"))
	return m
}

// pfeModel says in results what they are of.
const pfeModel = "Microcode on an emulated PFE, timed: threads, memory banks and their engines; cost of an instruction calibrated on Fig 15 at 64 gradients"

// pfe is the machine as a job describes it.
func (m *pfeMachine) pfe() trioml.PFE {
	timing := m.timing
	return trioml.PFE{PPEs: m.ppes, Threads: m.threads, Timing: &timing, Memory: m.memory}
}
