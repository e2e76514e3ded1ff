package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/gen"
)

// runFlags are the options of inalab run.
type runFlags struct {
	clock, topo, model, out, format, lab, events, paired string

	resume                     string
	rule                       ruleFlags // of --paired
	seed                       uint64
	repeat                     int
	set, sweep                 []string
	timeout                    time.Duration
	dryRun, plain, quiet, keep bool
	on                         *labRun // nil: the run has a lab of its own

	pcap pcapFlags
	want events.Want // of the events
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario, live or under the virtual clock",
		Long: `Runs a scenario of the catalogue (see "inalab list"), a *.scenario.yaml file, or what
standard input holds if it is "-".

Live runs use real packets between network namespaces; they need root, or user
namespaces where the kernel allows them. With --clock virtual the same protocol
code runs in one process under a deterministic clock, and needs neither.

Live, scale: auto takes the least scale that this machine carries, which a self-test
of some seconds finds before the run. A scale that is set is tested, too, and refused
where the machine does not carry it. Under the virtual clock auto is a number by rule.

Results go to a new directory below --out, with report.html, which shows them on one
page ("inalab report" makes it again); a table goes to standard output.
Events of blocks go to events.ndjson.gz there, for "inalab explain": those of the first
iteration, of the slowest block, and of each block that was degraded, dropped, sent again or never
finished. --events says otherwise.

--pcap captures the packets of all wires with the decisions of switches as comments: in a
directory a pcapng file for each run, or in one *.pcapng file that of one run. Under the
virtual clock times are the run's, from 1970 on, and rounds are simulated in full; a
live run is marked as not for timing. See docs/capture.md.

A run in which nothing moves any more ends by itself and says what it waits for.

--sweep KEY=VALUE,VALUE,... runs the scenario at each value, and at each combination if
there are several. It takes the place of the sweep that the file has of that key. --repeat
runs all of that with several seeds; a table below then has the mean over the seeds with its
95% interval.

What was interrupted, or killed, keeps the runs that it had done. --resume DIR does the
others, and writes a new results directory with all of them: the same as if nothing had
happened. DIR is a results directory, or the name of one below --out.
--lab LAB runs it on a lab that is up, beside what else goes on there: links are as they are, and
the scale divides the model alone. --keep brings such a lab up first, and leaves it. See docs/lab.md.

--paired OLD_BINARY runs another build of inalab and this one in turn (old, new, new, old),
--repeat pairs with a seed each, at one scale, and compares them as "inalab compare" does:
the table says which rows changed. Each run writes its results directory. Live, take
five pairs or more.

Exit codes: 0 ok, 1 a sum was wrong, the run stalled, or paired builds differ, 4 the machine was too busy
to believe the times, 5 something of a lab could not be removed; the others are
those of "inalab help".`,
		Example: `  inalab run straggler
  inalab run straggler --clock virtual --seed 2
  inalab run straggler --set stragglers.p='[0%,16%]' --set trio.wake=naive
  inalab run straggler --clock virtual --sweep trio.window=1024,4096 --sweep hosts=4,6
  echo 'systems: [trioml, ring]' | inalab run - --clock virtual
  inalab run loss --clock virtual --pcap packets --pcap-filter 'proto=trioml gen=0'
  inalab run microbench --repeat 5 --paired ./inalab-v1.2.3`,
		Args: func(c *cobra.Command, args []string) error {
			if f.resume != "" {
				return noArgument(args)
			}
			return arguments(1, 1)(c, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarios.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.resume != "" {
				return resumeRun(c, f)
			}
			return runScenario(c, args[0], f)
		},
	}
	f.register(c)
	return c
}

func (f *runFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.clock, "clock", "live", "live (real packets) or virtual (deterministic)")
	flags.StringVarP(&f.topo, "topo", "t", "", "topology for every system, in place of the scenario's: a shape, or a *.topo.yaml file")
	flags.StringVar(&f.model, "model", "", "model, in place of the scenario's (see \"inalab list\")")
	flags.Uint64Var(&f.seed, "seed", 0, "seed, in place of the scenario's (default: the scenario's)")
	flags.IntVar(&f.repeat, "repeat", 1, "run with so many seeds, counting up")
	flags.StringArrayVar(&f.set, "set", nil, "override a value of the scenario, as in --set trio.wake=naive; may be repeated")
	flags.StringArrayVar(&f.sweep, "sweep", nil, "run at several values, as in --sweep trio.window=16,64,256; repeated for all combinations")
	flags.StringVar(&f.resume, "resume", "", "do the runs that an interrupted one did not come to: its results directory")
	flags.StringVarP(&f.out, "out", "o", archive.DefaultRoot, "directory in which the results directory is made")
	flags.StringVar(&f.format, "format", "table", "of standard output: "+formats())
	flags.StringVar(&f.lab, "lab", "", "lab that is up, to run on; or name of the run's own (default: a new one)")
	flags.BoolVar(&f.keep, "keep", false, "bring a lab up for the run, which stays: inalab down ends it")
	flags.StringVar(&f.events, "events", string(events.Troubled), "events kept of each run: none, troubled, all, an iteration as 12, or a block of one as 12/345")
	flags.StringVar(&f.paired, "paired", "", "another build of inalab to run in turn with this one, and to compare with")
	f.rule.register(flags)
	f.pcap.register(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "end the run after this time, as in 5m (default: none)")
	flags.BoolVar(&f.plain, "no-offload", false, "do without segmentation and checksum offload")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be run, and stop")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	completeTopology(c)
}

// completeTopology completes --topo: shapes, and files.
func completeTopology(c *cobra.Command) {
	err := c.RegisterFlagCompletionFunc("topo", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return gen.Names(), cobra.ShellCompDirectiveDefault
	})
	if err != nil {
		panic("completing --topo: " + err.Error()) // the command has the flag
	}
}

// overrides turns flags that stand for values of the scenario into overrides.
func (f runFlags) overrides(c *cobra.Command) []string {
	var out []string
	if f.model != "" {
		out = append(out, "model="+f.model)
	}
	if c.Flags().Changed("seed") {
		out = append(out, fmt.Sprintf("seed=%d", f.seed))
	}
	return append(out, f.set...)
}

func runScenario(c *cobra.Command, name string, f runFlags) error {
	format, err := f.check(c)
	if err != nil {
		return usage(err)
	}
	src, err := f.source(name, c.InOrStdin())
	if err != nil {
		return usage(err)
	}
	if err := f.pcap.check(f.paired != ""); err != nil {
		return usage(err)
	}
	if done, err := f.onLab(c, src); done || err != nil {
		return err
	}
	s, sets, err := prepare(src, f.overrides(c), f)
	if err != nil {
		return usage(err)
	}
	if f.dryRun && f.paired != "" {
		return describePairs(c.OutOrStdout(), s, sets, f)
	}
	if f.dryRun {
		return describe(c.OutOrStdout(), s, sets)
	}
	if err := f.pcap.fits(len(sets)); err != nil {
		return usage(err)
	}
	if f.on != nil {
		f.on.by = s.Name
	}
	r := recording{flags: f, scenario: s, sets: sets, format: format, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
	r.at = func(scale int) (*scenarios.Scenario, []*job.Set, error) {
		return prepare(src, append(f.overrides(c), fmt.Sprintf("scale=%d", scale)), f)
	}
	return f.start(c, func(ctx context.Context) error {
		if f.paired != "" {
			return r.runPaired(ctx, name)
		}
		return r.run(ctx)
	})
}

// start does what runs, in namespaces of its own if it is live, and for as long as it may take.
func (f *runFlags) start(c *cobra.Command, run func(context.Context) error) error {
	if f.on != nil {
		if err := f.on.borrow(); err != nil {
			return err
		}
		defer f.on.giveBack()
	} else if f.clock == "live" {
		if err := enterNamespaces(); err != nil {
			return err
		}
	}
	ctx := c.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.timeout, errTimeout)
		defer cancel()
	}
	return run(ctx)
}

// check refuses values that cannot be, and reads those that are more than text.
func (f *runFlags) check(c *cobra.Command) (format render.Format, err error) {
	if format, err = render.ParseFormat(f.format); err != nil {
		return format, err
	}
	clocks := []string{"live", "virtual"}
	switch {
	case !slices.Contains(clocks, f.clock):
		return format, fmt.Errorf("--clock %q: allowed are %s%s", f.clock, strings.Join(clocks, ", "), suggest.DidYouMean(f.clock, clocks))
	case f.repeat < 1:
		return format, fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat)
	case f.timeout < 0:
		return format, fmt.Errorf("--timeout %v: a time above zero is needed", f.timeout)
	}
	if f.lab != "" {
		if err := journal.CheckLab(f.lab); err != nil {
			return format, fmt.Errorf("--lab: %w", err)
		}
	}
	if f.want, err = events.ParseWant(f.events); err != nil {
		return format, fmt.Errorf("--events %w", err)
	}
	return format, f.checkPaired(c)
}

// source reads a scenario: a file, standard input, or one of the catalogue.
func (f *runFlags) source(name string, stdin io.Reader) (src scenarios.Source, err error) {
	src = scenarios.Source{Name: name, Sweep: f.sweep}
	if name == standardInput && f.paired != "" {
		return src, errors.New("--paired: both builds read the scenario: write it into a file")
	}
	if !isFile(name) {
		src.Text, err = scenarios.Embedded(name)
		src.Name += ".scenario.yaml"
		return src, err
	}
	src.Text, src.Name, err = readInput(name, stdin)
	if err != nil {
		return src, err
	}
	if isTopology, err := topologyText(src.Name, src.Text); err == nil && isTopology {
		return src, fmt.Errorf("%s is a topology file: run a scenario on it, as in \"inalab run straggler --topo %s\"", src.Name, name)
	}
	return src, nil
}

// isFile reports whether the name of a scenario is that of a file, and not of one of the catalogue.
func isFile(name string) bool {
	if name == standardInput || strings.HasSuffix(name, ".yaml") {
		return true
	}
	_, err := os.Stat(name)
	return err == nil && !slices.Contains(scenarios.Names(), name)
}

// prepare lays out the jobs of a scenario, once for each seed.
func prepare(src scenarios.Source, set []string, f runFlags) (*scenarios.Scenario, []*job.Set, error) {
	src.Set = set
	s, err := scenarios.Load(src, systems())
	if err != nil {
		return nil, nil, err
	}
	switch {
	case f.on != nil:
		err = s.OnLab(f.on.topology, f.on.graph)
	case f.topo != "":
		err = s.SetTopology(f.topo)
	}
	if err != nil {
		return nil, nil, err
	}
	sets, err := f.setsOf(s)
	if err == nil && f.clock == "live" && f.on == nil && !s.Auto {
		err = capacity.Refuse(sets)
	}
	return s, sets, err
}

// setsOf lays out the jobs of a scenario, once for each seed.
func (f *runFlags) setsOf(s *scenarios.Scenario) (sets []*job.Set, err error) {
	for i := range f.repeat {
		list, err := s.Again(i).Sets(f.clock == "virtual")
		if err != nil {
			return nil, err
		}
		sets = append(sets, list...)
	}
	return sets, nil
}

// describe prints what a run would do.
func describe(w io.Writer, s *scenarios.Scenario, sets []*job.Set) error {
	title := s.Name + ": "
	if s.Description != "" {
		title += s.Description + "; "
	}
	fmt.Fprintf(w, "%smodel %s, seed %d, scale 1/%d, %d iterations\n", title, s.Model.Name, s.Seed, s.Scale, s.Iterations)
	if s.Auto && !sets[0].First().Virtual {
		fmt.Fprintln(w, "scale: a self-test before the run finds the least one that this machine carries; what follows is for that of the rule")
	}
	for _, text := range capacity.Coarse(sets) {
		fmt.Fprintf(w, "caution: %s\n", text)
	}
	var jobs []*job.Job
	for _, set := range sets {
		jobs = append(jobs, set.Jobs...)
	}
	for _, j := range jobs {
		expected, bound := j.Expect()
		kind := "expected"
		if bound {
			kind = "at most"
		}
		on := ""
		if j.Switch != "" {
			on = ", switch " + j.Switch
		}
		fmt.Fprintf(w, "%s on %s: %sp %g%%, %d workers, %d parameters, MTU %d%s, iteration %s %v\n", j.System.Name(), j.Plan.Name, pointOf(j), 100*j.StraggleP, len(j.Hosts()), j.Params, j.Plan.MTU, on, kind, expected)
		for _, n := range j.Layout.Notes {
			fmt.Fprintf(w, "  note: %s\n", n)
		}
		for _, n := range j.Layout.Cautions {
			fmt.Fprintf(w, "  caution: %s\n", n)
		}
		if j.Layout.TimeoutRule != "" && !slices.ContainsFunc(j.Layout.Notes, func(n string) bool { return strings.HasPrefix(n, "timeout of ") }) {
			fmt.Fprintf(w, "  %s\n", j.Layout.TimeoutRule)
		}
	}
	for _, left := range s.LeftOut(len(jobs) > 0 && jobs[0].Virtual) {
		fmt.Fprintln(w, left)
	}
	for _, f := range s.Flows {
		fmt.Fprintf(w, "beside each: flow %s of %s from %s to %s\n", f.Name, strings.ToUpper(f.Kind), f.From, f.To)
	}
	for _, text := range happenings(s, func(scenarios.Event) bool { return true }) {
		fmt.Fprintf(w, "in each: %s\n", text)
	}
	for _, p := range s.Programs {
		fmt.Fprintf(w, "beside each: %s on %s\n", strings.Join(p.Command, " "), p.Host)
	}
	return nil
}

// pointOf names a job among several and the point of a sweep that it is of, with a blank behind, or
// nothing.
func pointOf(j *job.Job) string {
	return strings.TrimLeft(strings.TrimSpace(j.Name+" "+j.Point.String())+" ", " ")
}
