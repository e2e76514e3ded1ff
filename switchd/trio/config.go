package trio

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Defaults of the number of PPEs and of their threads. The paper's generation
// has neither number (ambiguity trio.ppe-count): assumed, the middle of 96 to
// 160 PPEs and 16 to 24 threads.
const (
	DefaultPPEs    = 128
	DefaultThreads = 20
)

// Limits of the number of PPEs, those of the first and the sixth generation (trio
// §8), and of threads ("tens", trio §2.1; the upper end is assumed).
const (
	MinPPEs    = 16
	MaxPPEs    = 160
	MinThreads = 1
	MaxThreads = 64
)

// Other limits; all assumed.
const (
	// DefaultInstructions is how many instructions a thread may execute, one of a timer
	// for each record of the hash table that it comes to: thousands of times what the
	// largest aggregation packet takes, and 0.3 s at the cost of one.
	DefaultInstructions = 1 << 20
	// DefaultQueue is how many packets may wait for a thread. A window of 65,535
	// packets of 4 KB is the most that the paper speaks of (trio §5).
	DefaultQueue = 1 << 16
	// DefaultPacketMemory holds 65,536 packets of 4 KB and as much again.
	DefaultPacketMemory = 512 * units.MiB
	// packetReserve is the part of packet memory, as a divisor, that packets which
	// arrive leave to those that threads create. A thread without room for its packet
	// is killed, and what it has begun in shared memory is left as it is; a packet that
	// is refused has begun nothing. An eighth is 64 MiB, or 26 KB for each of 2560
	// threads, and 17 KB for each of 160 x 24; the longest result of Trio-ML has 16.4.
	packetReserve = 8
	// MaxNextHops bounds the index of a next hop.
	MaxNextHops = 1 << 16
	// MaxTimers and MaxTimerThreads: tens of timers, hundreds of threads (trio §5).
	MaxTimers       = 64
	MaxTimerThreads = 1 << 12
	// MaxPeriod keeps period times threads within 63 bits of picoseconds.
	MaxPeriod = 1000 * units.Second
)

// Config describes one PFE. Its zero values are the defaults where one is named.
type Config struct {
	Node    string       // name of the PFE in errors, such as "mx480/pfe1"
	Program *isa.Program // compiled; it must have an entry for packets or a timer
	// Ahead are instructions of it that were compiled ahead of time; those of other programs are not taken.
	Ahead []vm.Ahead

	PPEs     int       // packet processing engines; zero: DefaultPPEs
	Threads  int       // threads of each PPE; zero: DefaultThreads
	Timers   []Timer   // for entries of the program; entries without one never run
	NextHops []NextHop // what Forward's argument means; more with SetNextHop
	Tables   []Table   // what its tables hold at first; more with Routes and Filter
	// Others is where next hops lead that are not there; empty: their packets are dropped.
	Others []sansio.Port
	// Wants are the frames that pass the program on their way: all that are offered then.
	// Zero: none, and UDP frames to ClaimPort of the switch are the program's.
	Wants        dataplane.Wants
	ClaimPort    uint16 // zero: Trio-ML's 12000
	Instructions uint64 // that a thread may execute, a timer's anew at each record of its scan; zero: DefaultInstructions
	// PacketInstructions is how many of them a thread of a packet may execute; zero: Instructions.
	PacketInstructions uint64
	Queue              int         // packets that may wait for a thread; zero: DefaultQueue
	PacketMemory       units.Bytes // that packets inside may take, an eighth of it only those that threads create; zero: DefaultPacketMemory
	Counters           string      // prefix of the program's counters; empty: the program's name up to a dot
	Memory             mem.Config  // shared memory and hash table; Resident zero: room for all that the program declares

	// Timing nil is instant mode: every thread runs to its end within Handle.
	Timing *Timing
	// Observer is told what threads do, in time order; nil: there is none.
	Observer Observer
}

// Timer starts threads of the program periodically (trio §5).
type Timer struct {
	Name    string         // of the program's entry
	Period  units.Duration // T: each thread is started once in every period
	Threads int            // N: thread k starts k*T/N after every multiple of T; zero: 1

	// ScansOnly says that a thread of this timer whose part of the hash table has
	// no record does nothing but find that out. Such starts are left out.
	ScansOnly bool
}

// NextHop is what an argument of Forward stands for: a copy of the packet leaves
// by each port. A port may lead across the fabric (dataplane.Fabric). Back is the port
// that the packet came by: one in transit goes on its way.
type NextHop struct {
	Index uint32
	To    []sansio.Port
	Back  bool
}

func (c Config) withDefaults() Config {
	c.PPEs = cmp.Or(c.PPEs, DefaultPPEs)
	c.Threads = cmp.Or(c.Threads, DefaultThreads)
	c.Queue = cmp.Or(c.Queue, DefaultQueue)
	c.Instructions = cmp.Or(c.Instructions, DefaultInstructions)
	c.PacketInstructions = cmp.Or(c.PacketInstructions, c.Instructions)
	c.PacketMemory = cmp.Or(c.PacketMemory, DefaultPacketMemory)
	c.ClaimPort = cmp.Or(c.ClaimPort, wire.Port)
	if c.Memory.Resident == 0 && c.Program != nil {
		c.Memory.Resident = max(mem.DefaultResident, Declared(c.Program, c.Memory.Records))
	}
	c.Timers = slices.Clone(c.Timers)
	for i := range c.Timers {
		c.Timers[i].Threads = cmp.Or(c.Timers[i].Threads, 1)
	}
	return c
}

func (c *Config) validate() error {
	if c.Program == nil {
		return errors.New("it has no program: compile one")
	}
	var errs []error
	within := func(what string, n, least, most int) {
		if n < least || n > most {
			errs = append(errs, fmt.Errorf("%d %s: %d to %d are possible", n, what, least, most))
		}
	}
	within("PPEs", c.PPEs, MinPPEs, MaxPPEs)
	within("threads of a PPE", c.Threads, MinThreads, MaxThreads)
	within("packets in the dispatch queue", c.Queue, 1, 1<<24)
	within("timers", len(c.Timers), 0, MaxTimers)
	if c.PacketMemory < 64*units.KiB || c.PacketMemory > 64*units.GiB {
		errs = append(errs, fmt.Errorf("packet memory of %v: 64KiB to 64GiB are possible", c.PacketMemory))
	}
	for i := range c.Timers {
		errs = append(errs, c.validateTimer(i))
	}
	for _, h := range c.NextHops {
		errs = append(errs, h.validate())
	}
	if c.Timing != nil {
		errs = append(errs, c.Timing.validate())
	}
	return errors.Join(errs...)
}

func (c *Config) validateTimer(i int) error {
	t := &c.Timers[i]
	if _, ok := c.Program.TimerEntry(t.Name); !ok {
		return fmt.Errorf("timer %q: program %s has no such entry", t.Name, c.Program.Name)
	}
	if slices.ContainsFunc(c.Timers[:i], func(o Timer) bool { return o.Name == t.Name }) {
		return fmt.Errorf("timer %q is given twice", t.Name)
	}
	if t.Threads < 1 || t.Threads > MaxTimerThreads || t.Period > MaxPeriod ||
		t.Period/units.Duration(max(1, t.Threads)) < units.Nanosecond {
		return fmt.Errorf("timer %q: %d threads in %v: 1 to %d threads, at most %v, at least 1ns apart", t.Name, t.Threads,
			t.Period, MaxTimerThreads, MaxPeriod)
	}
	return nil
}

func (h NextHop) validate() error {
	switch {
	case h.Index >= MaxNextHops:
		return fmt.Errorf("next hop %d: the highest is %d", h.Index, MaxNextHops-1)
	case len(h.To) == 0 && !h.Back:
		return fmt.Errorf("next hop %d has no port", h.Index)
	case len(h.To) > 0 && h.Back:
		return fmt.Errorf("next hop %d has ports, and goes back by the port of arrival: leave one out", h.Index)
	}
	return nil
}
