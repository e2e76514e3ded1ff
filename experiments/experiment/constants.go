package experiment

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// pfeConstants are those of the emulated PFE, with the names that experiments ask
// for them by. Packages trio and mem have the values and the reasons.
func pfeConstants() []hostmodel.Constant {
	ns := func(d units.Duration) float64 { return float64(d) / float64(units.Nanosecond) }
	return []hostmodel.Constant{
		{Name: "pfe.ppes", Value: trio.DefaultPPEs, Unit: "PPEs", Assumed: true, Source: "middle of 96 to 160 (ambiguity trio.ppe-count)", Range: hostmodel.Range{Low: 96, High: 160}},
		{Name: "pfe.threads", Value: trio.DefaultThreads, Unit: "threads", Assumed: true, Source: "of each PPE: middle of 16 to 24 (ambiguity trio.ppe-count)", Range: hostmodel.Range{Low: 16, High: 24}},
		{Name: "pfe.instruction", Value: ns(trio.InstructionCost), Unit: "ns", Assumed: true, Range: hostmodel.Range{Low: ns(trio.InstructionLeast), High: ns(trio.InstructionMost)},
			Source: "of one instruction of a thread: as many clocks as a PPE has threads; at least the multiple clocks of Trio §2.2 and 1 GHz of §6.3, at most what leaves nothing else of " +
				"30 us at 64 gradients and window 1 (Trio §6.3, Fig 15). The fixed cost of a packet is what is missing to those 30 us, at each value"},
		{Name: "pfe.add-bytes", Value: mem.DefaultAddBytes, Unit: "bytes", Source: "that one XTXN adds: Trio §2.3, a 32-bit add (other readings: 8 and 64, trio.add-width)"},
		{Name: "pfe.dispatch", Value: ns(trio.DispatchDelay), Unit: "ns", Assumed: true, Source: "from when a packet has a thread to its first instruction", Range: hostmodel.Range{Low: 50, High: 300}},
		{Name: "pfe.output", Value: ns(trio.OutputDelay), Unit: "ns", Assumed: true, Source: "from the reorder engine to the output: the way of a packet to its thread backwards", Range: hostmodel.Range{Low: 50, High: 300}},
		{Name: "pfe.tail", Value: ns(trio.TailLatency), Unit: "ns", Assumed: true, Source: "of a read from a packet's tail: that of off-chip memory (Trio §2.3)", Range: hostmodel.Range{Low: 70, High: 400}},
		{Name: "pfe.tail-bytes", Value: trio.TailBytesPerCycle, Unit: "bytes", Assumed: true, Source: "of tails that all threads read in a clock", Range: hostmodel.Range{Low: 32, High: 128}},
		{Name: "pfe.crossbar", Value: ns(trio.CrossbarLatency), Unit: "ns", Assumed: true, Source: "of a module on the chip that only answers: that of on-chip memory (Trio §2.3)", Range: hostmodel.Range{Low: 10, High: 100}},
		{Name: "pfe.sram", Value: ns(mem.SRAMLatency), Unit: "ns", Source: "of on-chip memory: Trio §2.3, about 70 ns"},
		{Name: "pfe.dram", Value: ns(mem.DRAMLatency), Unit: "ns", Assumed: true, Source: "of off-chip memory: the middle of 300 to 400 ns (Trio §2.3)", Range: hostmodel.Range{Low: 300, High: 400}},
		{Name: "pfe.hash", Value: ns(mem.HashLatency), Unit: "ns", Assumed: true, Source: "of the hash unit: that of on-chip memory (Trio §2.3)", Range: hostmodel.Range{Low: 50, High: 150}},
		{Name: "pfe.hash-access", Value: ns(mem.HashAccess), Unit: "ns", Assumed: true, Source: "of an access to its index: a clock", Range: hostmodel.Range{Low: 1, High: 4}},
		{Name: "pfe.queue", Value: ns(mem.QueueTime), Unit: "ns", Assumed: true, Source: "of work that an engine takes in ahead: two of the largest requests", Range: hostmodel.Range{Low: 8, High: 256}},
	}
}

// Constants returns what experiments rest on: the constants of hosts, links and
// switches, those of the emulated PFE, of ATP and of XAgg, and the computing times of models that no paper
// prints.
func Constants() *hostmodel.Constants {
	c := hostmodel.Defaults()
	c.Add(pfeConstants()...)
	c.Add(atpConstants()...)
	c.Add(xaggConstants()...)
	for _, p := range profiles.All() {
		c.Add(hostmodel.Constant{
			Name: "compute." + p.Name, Value: p.Compute.Milliseconds(), Unit: "ms", Assumed: p.ComputeFrom == profiles.Assumed, Source: p.Source,
		})
	}
	return c
}
