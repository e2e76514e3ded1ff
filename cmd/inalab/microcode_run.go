package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Defaults of the timers of a run; both assumed.
const (
	runPeriod  = 100 * units.Millisecond
	runThreads = 1
)

type microcodeRunFlags struct {
	tableFlags
	in, out             string
	trace, timed        bool
	sets, files, timers []string
	instructions        uint64
	records             int
}

func newMicrocodeRun() *cobra.Command {
	var f microcodeRunFlags
	c := &cobra.Command{
		Use:   "run PROGRAM --in CAPTURE",
		Short: "Run a program on the packets of a capture, without a lab",
		Long: `Runs the packets of a capture (pcap or pcapng, Ethernet) through one Trio PFE with the
program, at their times, and says what became of them. It needs no configuration: every
next hop leads to the file of --out, which is a pcap. A table shows by which next hop
packets left, why others did not, where threads did wrong, and what a packet costs in
instructions and XTXNs.

The program has the memory that it has in a lab. A program in a file has what it declares and
its hash records: an access beyond is a fault.

--timed gives each instruction and XTXN its time (docs/microcode.md, XTXNs); the table then
also shows how long packets took, from their arrival until they left or their thread ended,
and --out has the times at which they left. Otherwise nothing takes time.

--trace prints each instruction that each packet executed: its number, label and line in the
source, the registers and bytes of local memory (LMEM) that it changed, and its XTXN with
arguments and reply. Bytes of the packet's head are counted from its Ethernet header: head+12.

--set writes shared memory before the first packet, --table a file of lines:

  words[7] = 0x10               # a word of sram or dram
  limits[3].burst = 1500        # a field of one, by its type
  drops[1].packets = 3          # a counter: packets, bytes
  policers[0] = 10Mbit/s,64KiB  # a policer: rate, burst
  sources[10.1.0.2].seen = 5    # a record of the hash table, by its declaration
  ways[10.0.0.0/8] = 4          # next hop of a prefix
  refused[web] = dst=10.1.0.0/16 proto=6 value=1   # a term of a filter, as for "inalab switch set"
  hash 0x0a000001 = 0005        # a record of the hash table by its key, in bytes (--table only)

A packet comes by the port of its interface's number in the capture, from 0; a pcap file has
one. Of a packet of which the capture lacks the end, the program sees zeros there. Timers that
the program declares fire from the first packet on until the last is done: each by one thread in
` + runPeriod.String() + `, unless --timer says otherwise.

Exit code 0: all threads ended; 1: a thread did wrong; 2: a file or flag is wrong.`,
		Example: `  inalab microcode run mine.mc --in a.pcap --out b.pcap
  inalab microcode run filter --in a.pcap --trace --timed
  inalab microcode run mine.mc --in a.pcap --set 'limit[0]=1000' --timer age=10ms/4`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.in, "in", "i", "", "capture to read, - for standard input")
	flags.StringVarP(&f.out, "out", "o", "", "pcap to write, - for standard output (default: none)")
	flags.BoolVar(&f.trace, "trace", false, "print what each packet did, instruction by instruction")
	flags.BoolVar(&f.timed, "timed", false, "instructions and XTXNs take time")
	flags.StringArrayVar(&f.sets, "set", nil, "NAME=VALUE, initial value in shared memory (repeated)")
	flags.StringArrayVar(&f.files, "table", nil, "file of initial values, routes, filter terms and hash records (repeated)")
	flags.StringArrayVar(&f.timers, "timer", nil, "NAME=PERIOD[/THREADS] of a timer, as in age=10ms/4 (repeated)")
	flags.Uint64Var(&f.instructions, "instructions", 0, fmt.Sprintf("that a thread may execute (default: as in a lab, %d for a packet's thread of a program in a file, otherwise %d)",
		user.DefaultInstructions, trio.DefaultInstructions))
	flags.IntVar(&f.records, "records", 0, fmt.Sprintf("that the hash table has room for (default: as in a lab, %d for a program in a file, %d for one of inalab's)",
		user.DefaultRecords, middlebox.DefaultRecords))
	f.register(flags)
	return c
}

// run runs the program. What is wrong with flags or files is known before a packet is
// played, but for a capture that is damaged further on.
func (f *microcodeRunFlags) run(c *cobra.Command, name string) error {
	program, err := loadMicrocode(name)
	if err != nil {
		return usage(err)
	}
	if err := f.validate(c.Flags().Changed); err != nil {
		return usage(err)
	}
	cfg, err := f.config(program)
	if err == nil {
		err = f.bound(&cfg, isOwn(name))
	}
	if err != nil {
		return usage(err)
	}
	answer := c.OutOrStdout()
	if f.out == "-" {
		answer = c.ErrOrStderr()
	}
	format, err := f.options(answer)
	if err != nil {
		return err
	}
	p := player{cfg: cfg, answer: bufio.NewWriter(answer), trace: f.trace}
	played := p.play(c.Context(), f, c.OutOrStdout())
	if p.run == nil {
		return usage(played)
	}
	result := p.run.Result()
	if c.Context().Err() == nil {
		played = usage(played)
	}
	written := writeReplay(p.answer, format, result, p.report(program, result))
	return errors.Join(played, written, p.answer.Flush(), faulty(result))
}

// validate checks the flags; changed says whether one was given.
func (f *microcodeRunFlags) validate(changed func(flag string) bool) error {
	switch {
	case f.in == "":
		return errors.New("--in is missing: name a capture, or - for standard input")
	case f.trace && f.forPrograms():
		return fmt.Errorf("--trace is text: leave out --format %s", f.format)
	case changed("instructions") && f.instructions == 0:
		return errors.New("--instructions 0: a thread needs one at least")
	case changed("records") && (f.records < 1 || f.records > mem.MaxRecords):
		return fmt.Errorf("--records %d: 1 to %d are possible", f.records, mem.MaxRecords)
	}
	return nil
}

// bound gives a program the memory and the instructions that it has in a lab: one of a user's own as much as it declares.
func (f *microcodeRunFlags) bound(cfg *replay.Config, own bool) (err error) {
	cfg.Instructions = f.instructions
	if !own {
		cfg.Memory.Records = cmp.Or(f.records, middlebox.DefaultRecords)
		return nil
	}
	cfg.PacketInstructions = cmp.Or(f.instructions, user.DefaultInstructions)
	cfg.Memory, err = user.Memory(cfg.Program, f.records)
	return err
}

// config returns what the flags ask for.
func (f *microcodeRunFlags) config(program *isa.Program) (cfg replay.Config, err error) {
	cfg = replay.Config{Program: program, Steps: f.trace}
	if f.timed {
		timing := trio.DefaultTiming()
		cfg.Timing = &timing
	}
	if cfg.Timers, err = runTimers(program, f.timers); err != nil {
		return cfg, err
	}
	cfg.Initial, err = f.initial()
	return cfg, err
}

// initial reads what shared memory holds at first: of files, then of flags.
func (f *microcodeRunFlags) initial() (out []replay.Setting, err error) {
	for _, name := range f.files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--table: %w", err)
		}
		list, err := replay.ParseTable(name, string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	for _, text := range f.sets {
		s, err := replay.ParseSetting("--set", text)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// runTimers returns the timers of a program, each with what the command line says of it.
func runTimers(program *isa.Program, texts []string) (out []trio.Timer, err error) {
	var names []string
	for _, e := range program.Entries {
		if e.Kind == isa.EntryTimer {
			names = append(names, e.Name)
			out = append(out, trio.Timer{Name: e.Name, Period: runPeriod, Threads: runThreads})
		}
	}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		period, threads, several := strings.Cut(value, "/")
		if !ok {
			return nil, fmt.Errorf("--timer %q: NAME=PERIOD[/THREADS] is needed, as in age=10ms/4", text)
		}
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("--timer %q: program %s has no timer %s%s", text, program.Name, name, suggest.DidYouMean(name, names))
		}
		if out[i].Period, err = units.ParseDuration(period); err != nil {
			return nil, fmt.Errorf("--timer %q: %w", text, err)
		}
		if several {
			if out[i].Threads, err = strconv.Atoi(threads); err != nil {
				return nil, fmt.Errorf("--timer %q: the number of threads is a whole number", text)
			}
		}
	}
	return out, nil
}
