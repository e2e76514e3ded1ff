package microcode

import (
	"fmt"

	compiler "github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode/ahead"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Options are of an emulated PFE; the reference program has no use for them. The
// zero value is a PFE with all defaults in instant mode.
type Options struct {
	// Program is what [Compile] or [CompileAdvanced] returned, for several engines
	// to share; nil: it is compiled.
	Program *isa.Program
	PPEs    int          // zero: trio.DefaultPPEs
	Threads int          // of each PPE; zero: trio.DefaultThreads
	Memory  mem.Config   // zero values: the defaults; AddBytes is what the program is compiled for
	Timing  *trio.Timing // nil: instant mode
	Queue   int          // packets that may wait for a thread; zero: trio.DefaultQueue
	// Observer is told what threads do, in addition to the trace of trioml.Config; nil:
	// none.
	Observer trio.Observer
	// Timers are those of the program but for its ageing, which trioml.Config sets.
	Timers []trio.Timer
}

// Compile compiles Trio-ML for the default machine. A program can be shared by any number
// of engines.
func Compile() (*isa.Program, error) { return CompileFor(isa.Machine{}) }

// CompileFor compiles Trio-ML for a machine, whose AddBytes Options.Memory has to have also.
func CompileFor(m isa.Machine) (*isa.Program, error) { return compile(m, TrioML()) }

// CompileAdvanced compiles Trio-ML with the classification of stragglers.
func CompileAdvanced() (*isa.Program, error) { return compile(isa.Machine{}, Advanced()) }

// machine is what a program is compiled for that the options do not have.
func (o Options) machine() isa.Machine { return isa.Machine{AddBytes: o.Memory.AddBytes} }

func compile(m isa.Machine, s Source) (*isa.Program, error) {
	p, err := compiler.CompileFor(m, s.File, s.Text)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", s.File, err)
	}
	return p, nil
}

// counters is the prefix of the program's counters, so that they have the names
// of the reference's.
const counters = "trioml"

// pfe is the configuration of the PFE.
func (o Options) pfe(cfg trioml.Config, obs trio.Observer) trio.Config {
	out := trio.Config{
		Node: cfg.Node, Program: o.Program, Ahead: ahead.TrioML, PPEs: o.PPEs, Threads: o.Threads, Memory: o.Memory,
		Queue: o.Queue, Timing: o.Timing, Counters: counters, Observer: obs, Timers: o.Timers,
	}
	if out.Memory.Records == 0 {
		out.Memory.Records = recordsFor(cfg.Jobs)
	}
	return out
}

// checkResident refuses a limit of host memory that open blocks could reach. What
// memory there is bounds the records, and a packet for which there is none is a
// counted drop; a record whose buffer cannot be had would be waited for in vain.
func (o Options) checkResident() error {
	if r, need := o.Memory.Resident, trio.Declared(o.Program, o.Memory.Records); r != 0 && r < need {
		return fmt.Errorf("resident memory of %v: %s may come to use %v: raise it, or leave it zero", r, o.Program.Name, need)
	}
	return nil
}

// Records of a hash table without a configured size: twice those that jobs may come to
// have, so that probes stay short, and three jobs of the default cap find room where
// there is none yet. Buffers are as many, of 16 KB each: a table for the most blocks
// there can be would spread those of few over a GB. Both ends are assumed.
const (
	leastRecords = 1 << 14
	mostRecords  = 1 << 16
)

func recordsFor(jobs []trioml.Job) int {
	n := leastRecords
	for n < 2*recordsOf(jobs...) && n < mostRecords {
		n *= 2
	}
	return n
}

// recordsOf returns how many records jobs may come to have: each its own, and those
// of as many blocks as its cap allows.
func recordsOf(jobs ...trioml.Job) (n int) {
	for _, j := range jobs {
		n += 1 + j.BlockMax
	}
	return n
}

// Fits returns an error if no PFE has room for the blocks that the caps of these jobs
// allow. They are those of a resolved configuration.
func Fits(jobs []trioml.Job) error {
	if n := recordsOf(jobs...); n > mostRecords {
		return fmt.Errorf("%d jobs may come to have %d records, with as many blocks as their caps allow: a PFE has %d; lower block_cnt_max", len(jobs), n, mostRecords)
	}
	return nil
}
