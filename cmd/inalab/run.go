package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
)

// runFlags are the options of inalab run.
type runFlags struct {
	clock, topo, model, out, format, lab string
	seed                                 uint64
	repeat                               int
	set                                  []string
	timeout                              time.Duration
	dryRun, plain, quiet                 bool
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

Results go to a new directory below --out; a table goes to standard output.
Exit codes: 0 ok, 1 a sum was wrong, 4 the machine was too busy to believe the
times; the others are those of "inalab help".`,
		Example: `  inalab run straggler
  inalab run straggler --clock virtual --seed 2
  inalab run straggler --set stragglers.p='[0%,16%]' --set trio.wake=naive`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return runScenario(c, args[0], f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.clock, "clock", "live", "live (real packets) or virtual (deterministic)")
	flags.StringVarP(&f.topo, "topo", "t", "", "topology for every system, in place of the scenario's")
	flags.StringVar(&f.model, "model", "", "model, in place of the scenario's (see \"inalab list\")")
	flags.Uint64Var(&f.seed, "seed", 0, "seed, in place of the scenario's (default: the scenario's)")
	flags.IntVar(&f.repeat, "repeat", 1, "run with so many seeds, counting up")
	flags.StringArrayVar(&f.set, "set", nil, "override a value of the scenario, as in --set trio.wake=naive; may be repeated")
	flags.StringVarP(&f.out, "out", "o", archive.DefaultRoot, "directory in which the results directory is made")
	flags.StringVar(&f.format, "format", "table", "of standard output: "+formats())
	flags.StringVar(&f.lab, "lab", "", "name of the lab (default: a new one)")
	flags.DurationVar(&f.timeout, "timeout", 0, "end the run after this time, as in 5m (default: none)")
	flags.BoolVar(&f.plain, "no-offload", false, "do without segmentation and checksum offload")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be run, and stop")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return c
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
	if f.lab != "" {
		if err := journal.CheckLab(f.lab); err != nil {
			return usage(fmt.Errorf("--lab: %w", err))
		}
	}
	s, jobs, err := prepare(name, f.overrides(c), f)
	if err != nil {
		return usage(err)
	}
	if f.dryRun {
		return describe(c.OutOrStdout(), s, jobs)
	}
	if f.clock == "live" {
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
	r := recording{flags: f, scenario: s, jobs: jobs, format: format, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
	return r.run(ctx)
}

// prepare loads the scenario and lays out its jobs, once for each seed.
func prepare(name string, set []string, f runFlags) (*scenarios.Scenario, []*job.Job, error) {
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
	s, err := scenarios.Load(src)
	if err != nil {
		return nil, nil, err
	}
	if f.topo != "" {
		if err := s.SetTopology(f.topo); err != nil {
			return nil, nil, err
		}
	}
	var jobs []*job.Job
	for i := range f.repeat {
		again := *s
		again.Seed += rng.Root(i)
		list, err := again.Jobs(f.clock == "virtual")
		if err != nil {
			return nil, nil, err
		}
		jobs = append(jobs, list...)
	}
	return s, jobs, nil
}

// recording is one run of a scenario with its results directory.
type recording struct {
	flags          runFlags
	scenario       *scenarios.Scenario
	jobs           []*job.Job
	format         render.Format
	stdout, stderr io.Writer

	dir   *archive.Dir
	cells []result.Cell
}

func (r *recording) run(ctx context.Context) error {
	caller := journal.CurrentCaller()
	dir, err := archive.Create(archive.Options{
		Root: r.flags.out, Scenario: r.scenario.Name, Started: time.Now(), Columns: render.Columns(), Own: caller.Chown,
	})
	if err != nil {
		return err
	}
	r.dir = dir
	runner, err := r.runner(caller)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	watch := newProgress(r.stderr, r.flags.quiet)
	watch.start(r.scenario, r.jobs, dir.Path())
	cells, runErr := harness.Experiment{Name: r.scenario.Name, Jobs: r.jobs}.Run(ctx, runner, watch)
	r.cells = cells
	if runErr != nil && context.Cause(ctx) != nil {
		runErr = errors.Join(context.Cause(ctx), runErr)
	}
	return r.finish(runErr)
}

func (r *recording) runner(caller journal.Caller) (harness.Runner, error) {
	if r.flags.clock == "virtual" {
		images, err := worker.LoadImages()
		return harness.Virtual{Images: images}, err
	}
	logs, err := r.dir.Mkdir("logs")
	if err != nil {
		return nil, err
	}
	lab := r.flags.lab
	if lab == "" {
		lab = netns.NewLabName()
	}
	return harness.Live{Options: live.Options{Lab: lab, Logs: logs, Plain: r.flags.plain, Owner: caller}}, nil
}

// finish writes what there is, shows it, and says how it went. A run that was
// cut short leaves its results without a manifest.
func (r *recording) finish(runErr error) error {
	rows := compare.Rows(r.cells)
	if err := r.write(rows); err != nil {
		return errors.Join(runErr, err, r.dir.Close())
	}
	if len(r.cells) > 0 {
		opt := render.Options{Format: r.format, Unicode: isTerminal(r.stdout)}
		if err := render.Write(r.stdout, render.Comparison(rows), opt); err != nil {
			return errors.Join(runErr, err, r.dir.Close())
		}
	}
	fmt.Fprintf(r.stderr, "results: %s\n", r.dir.Path())
	if runErr != nil {
		return errors.Join(fmt.Errorf("the run is incomplete: %w", runErr), r.dir.Close())
	}
	verdict := r.verdict()
	return errors.Join(verdict, r.dir.Finish(r.manifest(exitCode(verdict))))
}

func (r *recording) write(rows []compare.Row) error {
	text, err := r.scenario.MarshalYAML()
	if err != nil {
		return err
	}
	var samples []result.Sample
	type judged struct {
		System    string          `json:"system"`
		StraggleP float64         `json:"straggle_p"`
		Seed      uint64          `json:"seed"`
		Fidelity  result.Fidelity `json:"fidelity"`
	}
	var verdicts []judged
	for _, c := range r.cells {
		samples = append(samples, c.Samples...)
		verdicts = append(verdicts, judged{c.System, c.StraggleP, c.Seed, c.Fidelity})
	}
	return errors.Join(
		r.dir.Write("scenario.yaml", func(w io.Writer) error { _, err := w.Write(text); return err }),
		r.dir.Write("samples.jsonl", func(w io.Writer) error { return render.WriteSamples(w, samples) }),
		r.dir.Write("summary.csv", func(w io.Writer) error { return render.WriteSummary(w, rows) }),
		r.dir.WriteJSON("topology.json", r.topologies()),
		r.dir.WriteJSON("fidelity.json", verdicts),
	)
}

// topologies returns the addressed topology of each system.
func (r *recording) topologies() map[string]any {
	out := map[string]any{}
	for _, j := range r.jobs {
		out[j.System] = j.Plan
	}
	return out
}

// verdict is nil, or why the numbers of a complete run do not stand.
func (r *recording) verdict() error {
	for _, c := range r.cells {
		if c.Wrong > 0 || c.Checked == 0 && c.Computed == 0 {
			return failed(fmt.Errorf("%s at p=%g%%: %d of %d delivered values are wrong; %s", c.System, 100*c.StraggleP, c.Wrong, c.Checked, strings.Join(c.Notes, "; ")))
		}
	}
	for _, c := range r.cells {
		if c.Fidelity.Verdict == result.Invalid {
			return untrusted(fmt.Errorf("%s at p=%g%%: the times cannot be believed: %s; close other programs, or use --clock virtual", c.System, 100*c.StraggleP, strings.Join(c.Fidelity.Reasons, "; ")))
		}
	}
	return nil
}

func (r *recording) manifest(exit int) archive.Manifest {
	m := archive.Manifest{
		Command: os.Args, Version: version, Commit: commit(), Machine: archive.ThisMachine(), Scenario: r.scenario.Name,
		Clock: r.flags.clock, Seed: uint64(r.scenario.Seed), Scale: r.scenario.Scale, Options: r.scenario.Options(), ExitCode: exit,
	}
	for _, c := range r.cells {
		m.Verdicts = append(m.Verdicts, archive.Verdict{
			System: c.System, StraggleP: c.StraggleP, Fidelity: c.Fidelity.Verdict, Reasons: c.Fidelity.Reasons, Checked: c.Checked, Wrong: c.Wrong,
		})
		if len(c.Fidelity.Offload) > 0 {
			m.Offloads = c.Fidelity.Offload
		}
	}
	return m
}

// describe prints what a run would do.
func describe(w io.Writer, s *scenarios.Scenario, jobs []*job.Job) error {
	fmt.Fprintf(w, "%s: %s; model %s, seed %d, scale 1/%d, %d iterations\n", s.Name, s.Description, s.Model.Name, s.Seed, s.Scale, s.Iterations)
	for _, j := range jobs {
		expected, bound := j.Expect()
		kind := "expected"
		if bound {
			kind = "at most"
		}
		fmt.Fprintf(w, "%s on %s: p %g%%, %d workers, %d parameters, MTU %d, iteration %s %v\n", j.System, j.Plan.Name, 100*j.StraggleP, len(j.Plan.Hosts), j.Params, j.Plan.MTU, kind, expected)
		for _, n := range j.Notes {
			fmt.Fprintf(w, "  note: %s\n", n)
		}
	}
	return nil
}
