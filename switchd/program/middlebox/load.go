package middlebox

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// HopForward is the next hop of packets that pass: they go on their way.
const HopForward = 0

// DefaultRecords is how many senders, pairs or flows a program can keep: 1 MiB of SRAM, so that
// several programs fit on a PFE beside the 4 MiB that records of Trio-ML may take (assumed).
const DefaultRecords = 1 << 14

// Program is a Microcode program and its timer.
type Program struct {
	File, Text string         // the source
	Timer      string         // the entry whose threads visit the records; empty: it has none
	Period     units.Duration // in which every record is visited once, unless Config says otherwise
	Threads    int            // of the timer, unless Config says otherwise
}

// Config describes the PFE of a program. The zero value is a program that sees the
// frames which arrive at its PFE, but ARP.
type Config struct {
	Node    string         // name of the PFE in errors, such as "mx480/pfe1"
	ARP     bool           // the program sees ARP frames, too
	Leaving bool           // the program sees the frames that leave by ports of its PFE, in place of those that arrive
	Period  units.Duration // in which every record is visited once; zero: the program's default
	Threads int            // timer threads, each for its part of the table; zero: the program's default
	Memory  mem.Config     // zero Records: DefaultRecords
	Timing  *trio.Timing   // nil: instant mode
}

// PFE is loaded with its program.
type PFE struct {
	*trio.PFE
	program *isa.Program
}

// Load compiles the program and loads a PFE with it. others are its next hops
// beside HopForward.
func (p Program) Load(cfg Config, others ...trio.NextHop) (*PFE, error) {
	prog, err := microcode.CompileFor(isa.Machine{AddBytes: cfg.Memory.AddBytes}, p.File, p.Text)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", p.File, err)
	}
	cfg.Memory.Records = cmp.Or(cfg.Memory.Records, DefaultRecords)
	machine := trio.Config{
		Node: cfg.Node, Program: prog, Memory: cfg.Memory, Timing: cfg.Timing,
		Wants:    dataplane.Wants{Transit: !cfg.Leaving, Leaving: cfg.Leaving, ARP: cfg.ARP},
		NextHops: append([]trio.NextHop{{Index: HopForward, Back: true}}, others...),
	}
	if p.Timer != "" {
		period, threads := cmp.Or(cfg.Period, p.Period), cmp.Or(cfg.Threads, p.Threads)
		machine.Timers = []trio.Timer{{Name: p.Timer, Period: period, Threads: threads, ScansOnly: true}}
	}
	pfe, err := trio.New(machine)
	if err != nil {
		return nil, err
	}
	return &PFE{pfe, prog}, nil
}

// Set has a variable of the program in shared memory written by the control plane,
// which is told where it is.
func (p *PFE) Set(variable string, write func(m *mem.Memory, at mem.Addr) mem.Fault) error {
	s, ok := p.program.Symbol(variable)
	if !ok || !s.Kind.Shared() {
		return fmt.Errorf("program %s has no %s in shared memory", p.program.Name, variable)
	}
	if f := write(p.Memory(), mem.Addr(s.Value)); f != mem.NoFault {
		return fmt.Errorf("writing %s of program %s: %v", variable, p.program.Name, f)
	}
	return nil
}
