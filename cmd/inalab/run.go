package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/gen"
)

// runFlags are the options of inalab run.
type runFlags struct {
	clock, topo, model, out, format, lab, events, paired string
	rule                                                 ruleFlags // of --paired
	seed                                                 uint64
	repeat                                               int
	set                                                  []string
	timeout                                              time.Duration
	dryRun, plain, quiet, keep                           bool
	on                                                   *labRun // nil: the run has a lab of its own

	want events.Want // of the events
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Run a scenario, live or under the virtual clock",
		Long: `Runs a scenario of the catalogue (see "inalab list") or a *.scenario.yaml file.

Live runs use real packets between network namespaces; they need root, or user
namespaces where the kernel allows them. With --clock virtual the same protocol
code runs in one process under a deterministic clock, and needs neither.

Live, scale: auto takes the least scale that this machine carries, which a self-test
of some seconds finds before the run. A scale that is set is tested, too, and refused
where the machine does not carry it. Under the virtual clock auto is a number by rule.

Results go to a new directory below --out, with report.html, which shows them on one
page ("inalab report" makes it again); a table goes to standard output.
Events of blocks go to events.ndjson.gz there, for "inalab explain": those of the first
iteration, and of each block that was degraded, dropped, sent again or never
finished. --events says otherwise.

A run in which nothing moves any more ends by itself and says what it waits for.

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
  inalab run microbench --repeat 5 --paired ./inalab-v1.2.3`,
		Args: arguments(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return scenarios.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return runScenario(c, args[0], f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.clock, "clock", "live", "live (real packets) or virtual (deterministic)")
	flags.StringVarP(&f.topo, "topo", "t", "", "topology for every system, in place of the scenario's: a shape, or a *.topo.yaml file")
	flags.StringVar(&f.model, "model", "", "model, in place of the scenario's (see \"inalab list\")")
	flags.Uint64Var(&f.seed, "seed", 0, "seed, in place of the scenario's (default: the scenario's)")
	flags.IntVar(&f.repeat, "repeat", 1, "run with so many seeds, counting up")
	flags.StringArrayVar(&f.set, "set", nil, "override a value of the scenario, as in --set trio.wake=naive; may be repeated")
	flags.StringVarP(&f.out, "out", "o", archive.DefaultRoot, "directory in which the results directory is made")
	flags.StringVar(&f.format, "format", "table", "of standard output: "+formats())
	flags.StringVar(&f.lab, "lab", "", "lab that is up, to run on; or name of the run's own (default: a new one)")
	flags.BoolVar(&f.keep, "keep", false, "bring a lab up for the run, which stays: inalab down ends it")
	flags.StringVar(&f.events, "events", string(events.Troubled), "events kept of each run: none, troubled, all, an iteration as 12, or a block of one as 12/345")
	flags.StringVar(&f.paired, "paired", "", "another build of inalab to run in turn with this one, and to compare with")
	f.rule.register(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "end the run after this time, as in 5m (default: none)")
	flags.BoolVar(&f.plain, "no-offload", false, "do without segmentation and checksum offload")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be run, and stop")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	completeTopology(c)
	return c
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
	format, err := render.ParseFormat(f.format)
	if err != nil {
		return usage(err)
	}
	if f.clock != "live" && f.clock != "virtual" {
		return usage(fmt.Errorf("--clock %q: allowed are live, virtual", f.clock))
	}
	if f.repeat < 1 {
		return usage(fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat))
	}
	if f.timeout < 0 {
		return usage(fmt.Errorf("--timeout %v: a time above zero is needed", f.timeout))
	}
	if f.lab != "" {
		if err := journal.CheckLab(f.lab); err != nil {
			return usage(fmt.Errorf("--lab: %w", err))
		}
	}
	if f.want, err = events.ParseWant(f.events); err != nil {
		return usage(fmt.Errorf("--events %w", err))
	}
	if err := f.checkPaired(c); err != nil {
		return usage(err)
	}
	if done, err := f.onLab(c, name); done || err != nil {
		return err
	}
	s, sets, err := prepare(name, f.overrides(c), f)
	if err != nil {
		return usage(err)
	}
	if f.dryRun && f.paired != "" {
		return describePairs(c.OutOrStdout(), s, sets, f)
	}
	if f.dryRun {
		return describe(c.OutOrStdout(), s, sets)
	}
	if f.on != nil {
		if err := f.on.borrow(s.Name); err != nil {
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
	r := recording{flags: f, scenario: s, sets: sets, format: format, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
	r.at = func(scale int) (*scenarios.Scenario, []*job.Set, error) {
		return prepare(name, append(f.overrides(c), fmt.Sprintf("scale=%d", scale)), f)
	}
	if f.paired != "" {
		return r.runPaired(ctx, name)
	}
	return r.run(ctx)
}

// prepare loads the scenario and lays out its jobs, once for each seed.
func prepare(name string, set []string, f runFlags) (*scenarios.Scenario, []*job.Set, error) {
	src := scenarios.Source{Name: name, Set: set}
	var err error
	if strings.HasSuffix(name, ".yaml") {
		src.Text, err = os.ReadFile(name)
	} else {
		src.Text, err = scenarios.Embedded(name)
		src.Name += ".scenario.yaml"
	}
	if err != nil {
		return nil, nil, err
	}
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
	var sets []*job.Set
	for i := range f.repeat {
		list, err := s.Again(i).Sets(f.clock == "virtual")
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, list...)
	}
	if f.clock == "live" && f.on == nil && !s.Auto {
		return s, sets, capacity.Refuse(sets)
	}
	return s, sets, nil
}

// describe prints what a run would do.
func describe(w io.Writer, s *scenarios.Scenario, sets []*job.Set) error {
	fmt.Fprintf(w, "%s: %s; model %s, seed %d, scale 1/%d, %d iterations\n", s.Name, s.Description, s.Model.Name, s.Seed, s.Scale, s.Iterations)
	if s.Auto && !sets[0].First().Virtual {
		fmt.Fprintln(w, "scale: a self-test before the run finds the least one that this machine carries; what follows is for that of the rule")
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
