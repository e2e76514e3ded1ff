package trio

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// All constants of time of the PFE outside its shared memory, whose own are in
// package mem. What a source does not give is assumed, with its reason and the
// range in which it may be varied.
const (
	// Cycle is one clock: 1 GHz (trio §6.3).
	Cycle = units.Nanosecond

	// InstructionCost is what one instruction of a thread takes, from its entry
	// into the pipeline of its PPE until the next of the same thread may enter:
	// multiple clocks (trio §2.2), the number is not given. Assumed: as many as a PPE
	// has threads, which fills its pipeline when all are at work. Range InstructionLeast
	// to InstructionMost, to which no source but the paper's own numbers leads.
	InstructionCost = DefaultThreads * Cycle

	// InstructionLeast is the least that "multiple clocks" can be (trio §2.2), at 1 GHz
	// (trio §6.3).
	InstructionLeast = 2 * Cycle

	// InstructionMost is the most that an instruction can take: a packet of 64 gradients
	// at window 1 is 30 us in a PFE (trio §6.3, Fig 15; the mean of all packets of four
	// servers, to the end of the thread), and nothing of them is left for PacketCost.
	// Solved for by experiments/chip.
	InstructionMost = 256 * units.Nanosecond

	// PacketCost is what a packet takes in a PFE beside its instructions and XTXNs and
	// the other constants here, from its arrival until it is given to a thread: its head
	// is taken off, its tail stored, and it is handed on; and whatever else those 30 us
	// contain. It holds no thread (assumed; if it does, DispatchDelay has it), and does
	// not bound how many packets are taken in. Solved for: with the other constants as
	// they are, what is missing to 30 us at 64 gradients and window 1 (trio §6.3). No
	// other result was looked at. Range 0, with InstructionMost, to what InstructionLeast
	// leaves. After a change of the program or of another constant:
	//
	//	go test ./experiments/chip -run TestTimeIsSolved -update
	PacketCost = 25177 * units.Nanosecond

	// IssueInterval is the least distance of two instructions of one PPE, whatever
	// their threads. Assumed: one clock, since a pipeline takes in one a clock,
	// and threads exist to fill it (trio §2.2). With T threads a PPE so executes
	// at most T instructions in every InstructionCost, and never more than one a
	// clock. Range: fixed.
	IssueInterval = Cycle

	// DispatchDelay is the time from when a packet has a thread to its first
	// instruction, in which it holds the thread. Assumed: the head
	// is moved to local memory at 8 bytes a clock, 26 clocks, and about three times
	// that goes by in the choice of a thread and on the way. Range 50 to 300 ns.
	DispatchDelay = 100 * units.Nanosecond

	// OutputDelay is the time from the reorder engine to the output; a packet that
	// nothing holds is in the reorder engine when it is forwarded. Assumed: the way of DispatchDelay backwards.
	// Range 50 to 300 ns.
	OutputDelay = 100 * units.Nanosecond

	// TailLatency is the time from a TailRead to the bytes in local memory.
	// Assumed: that of off-chip memory, 300 to 400 ns (trio §2.3), since a packet
	// buffer is far larger than memory on the chip. Range 70 to 400 ns.
	TailLatency = 350 * units.Nanosecond

	// TailBytesPerCycle is how much all threads together read from tails, or
	// write to them, in a clock. Assumed: 64, the size of one read, which is 512
	// Gbps: what the four ports of 100 Gbps of a PFE bring (trio §6.1) is read once
	// without delay. Range 32 to 128.
	TailBytesPerCycle = 64

	// CrossbarLatency is the time from a request to the answer of a module on the
	// chip that only answers: the clock, and the dispatch of packets when a
	// thread waits for it. Assumed: that of on-chip memory, 70 ns (trio §2.3).
	// Range 10 to 100 ns.
	CrossbarLatency = 70 * units.Nanosecond
)

// Timing is how long the parts of a PFE take. The zero value is not valid: start
// from [DefaultTiming].
type Timing struct {
	Packet            units.Duration // see PacketCost
	Instruction       units.Duration // see InstructionCost
	Issue             units.Duration // see IssueInterval
	Dispatch          units.Duration // see DispatchDelay
	Output            units.Duration // see OutputDelay
	Tail              units.Duration // see TailLatency
	TailBytesPerCycle int            // see TailBytesPerCycle
	Crossbar          units.Duration // see CrossbarLatency
	Lookup            lookup.Timing  // of tables and the hash logic
}

// DefaultTiming returns the constants of this package.
func DefaultTiming() Timing {
	return Timing{
		Packet: PacketCost, Instruction: InstructionCost, Issue: IssueInterval, Dispatch: DispatchDelay, Output: OutputDelay,
		Tail: TailLatency, TailBytesPerCycle: TailBytesPerCycle, Crossbar: CrossbarLatency,
		Lookup: lookup.DefaultTiming(),
	}
}

// maxConstant bounds every constant of a Timing (assumed), so that sums of them
// stay far from the end of time.
const maxConstant = units.Millisecond

func (t *Timing) validate() error {
	var errs []error
	between := func(name string, d, least units.Duration) {
		if d < least || d > maxConstant {
			errs = append(errs, fmt.Errorf("timing: %s of %v: %v to %v is possible", name, d, least, maxConstant))
		}
	}
	between("fixed cost of a packet", t.Packet, 0)
	between("instruction cost", t.Instruction, units.Picosecond)
	between("issue interval", t.Issue, units.Picosecond)
	between("dispatch delay", t.Dispatch, 0)
	between("output delay", t.Output, 0)
	between("tail latency", t.Tail, 0)
	between("crossbar latency", t.Crossbar, 0)
	between("latency of the hash logic", t.Lookup.Hash, 0)
	between("time of 8 bytes in the hash logic", t.Lookup.HashStep, 0)
	between("latency of a route lookup", t.Lookup.Route, 0)
	between("latency of a filter", t.Lookup.Filter, 0)
	between("interval of lookups", t.Lookup.Interval, 0)
	if t.TailBytesPerCycle < 1 || t.TailBytesPerCycle > 1<<10 {
		errs = append(errs, fmt.Errorf("timing: %d bytes of tails a clock: 1 to %d are possible", t.TailBytesPerCycle, 1<<10))
	}
	return errors.Join(errs...)
}
