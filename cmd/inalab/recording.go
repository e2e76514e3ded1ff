package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/expect"
	"github.com/inalab/inalab/reports/explain"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/runfigure"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/plan"
)

// recording is one run of a scenario with its results directory.
type recording struct {
	flags          runFlags
	scenario       *scenarios.Scenario
	sets           []*job.Set
	format         render.Format
	stdout, stderr io.Writer

	at     func(scale int) (*scenarios.Scenario, []*job.Set, error) // the same at another scale
	trials trials                                                   // of the self-test; nil: live ones
	scaled archive.Scaled                                           // how the scale came about
	slow   map[string]string                                        // what did not get on as it should in the self-test, by what ran

	earlier *earlier        // the run that this one takes up; nil: there is none
	kept    *archive.Stream // of the events; nil: none are kept

	dir   *archive.Dir
	watch *recorder
	cells []result.Cell

	outcomes []expect.Outcome // of what the scenario expects
	captured captured         // of --pcap
}

func (r *recording) run(ctx context.Context) error {
	caller := journal.CurrentCaller()
	if err := r.settle(ctx, caller); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	dir, err := archive.Create(archive.Options{
		Root: r.flags.out, Scenario: r.scenario.Name, Started: time.Now(), Columns: render.Columns(r.baseline()), Own: caller.Chown,
	})
	if err != nil {
		return err
	}
	r.dir = dir
	r.watch = &recorder{progress: &progress{statusLine: newStatusLine(r.stderr, r.flags.quiet)}}
	samples, err := r.begin()
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	kept, err := r.events()
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	runner, err := r.runner(ctx, caller, kept)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	if ahead, ok := runner.(*harness.Ahead); ok {
		defer ahead.Close()
	}
	done, err := dir.Unfinished(r.begun())
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	r.watch.stream, r.watch.done = samples, done
	runner, closeEarlier, err := r.resumed(runner)
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	r.watch.start(r.scenario, r.sets, dir.Path())
	cells, runErr := harness.Experiment{Name: r.scenario.Name, Sets: r.sets}.Run(ctx, runner, r.watch)
	r.cells = cells
	runErr = errors.Join(runErr, closeEarlier())
	if runErr != nil && context.Cause(ctx) != nil {
		runErr = errors.Join(context.Cause(ctx), runErr)
	}
	return r.finish(errors.Join(runErr, r.watch.unwritten))
}

// begin writes what is known before the run, and opens the file of the samples.
func (r *recording) begin() (*archive.Stream, error) {
	text, err := r.scenario.MarshalYAML()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		r.dir.Write("scenario.yaml", func(w io.Writer) error { _, err := w.Write(text); return err }),
		r.dir.WriteJSON("topology.json", r.topologies()),
	)
	if err != nil {
		return nil, err
	}
	return r.dir.Stream(samplesName)
}

// samplesName is the file of the samples in a results directory.
const samplesName = "samples.jsonl"

// begun is what a run that takes this one up must know.
func (r *recording) begun() archive.Begun {
	return archive.Begun{
		Version: buildVersion(), Commit: commit(), Clock: r.flags.clock, Repeat: r.flags.repeat, Events: r.flags.events, Plain: r.flags.plain,
		Scaled: r.scaled, Runs: len(r.sets), Plan: digestOf(r.sets),
	}
}

// events opens the file of the events, if there is one.
func (r *recording) events() (harness.Events, error) {
	if r.flags.want.Mode == events.None {
		return harness.Events{}, nil
	}
	file, err := r.dir.Stream(explain.FileName)
	r.kept = file
	take := func(rec events.Record) error {
		lines := make([]any, 0, 1+len(rec.Events))
		lines = append(lines, explain.Header{Run: rec.Run})
		for i := range rec.Events {
			lines = append(lines, &rec.Events[i])
		}
		r.watch.events += len(lines)
		return file.Append(lines...)
	}
	return harness.Events{Want: r.flags.want, Take: take}, err
}

// topology is an addressed topology, and how its links change.
type topology struct {
	*plan.Plan
	Changes []job.LinkChange `json:",omitempty"`
}

// topologies returns the addressed topology of each system, or of the systems of a lab: of one that has several, and of a
// sweep, by topology and point.
func (r *recording) topologies() map[string]any {
	out, of := map[string]any{}, map[string]string{}
	for _, s := range r.sets {
		j := s.First()
		name := s.Name()
		if first, known := of[name]; known && first != j.Plan.Name {
			name += " on " + j.Plan.Name
		} else {
			of[name] = j.Plan.Name
		}
		if !j.Point.IsZero() {
			name += " at " + j.Point.String()
		}
		out[name] = topology{s.Plan(), j.Changes}
	}
	return out
}

func (r *recording) runner(ctx context.Context, caller journal.Caller, kept harness.Events) (harness.Runner, error) {
	if r.flags.clock == "virtual" {
		images, err := worker.LoadImages()
		if err != nil {
			return nil, err
		}
		return harness.NewAhead(ctx, harness.Virtual{Images: images, Events: kept, Packets: r.capturing(caller)}, r.rest(), runtime.GOMAXPROCS(0)), nil
	}
	logs, err := r.dir.Mkdir("logs")
	if err != nil {
		return nil, err
	}
	lab := r.flags.lab
	if lab == "" {
		lab = netns.NewLabName()
	}
	run := harness.Live{Options: live.Options{Lab: lab, Logs: logs, Plain: r.flags.plain, Owner: caller}, Events: kept, Packets: r.capturing(caller)}
	if on := r.flags.on; on != nil {
		run.Options.On, run.Options.Plain = on.lab.adopt(), !on.lab.State.Offload
	}
	return doubted{run, r.slow}, nil
}

// finish writes what there is, shows it, and says how it went. A run that was
// cut short leaves its results without a manifest.
func (r *recording) finish(runErr error) error {
	rows := compare.Rows(r.compared(runErr), r.baseline())
	if err := errors.Join(r.write(rows), r.show(rows, runErr)); err != nil {
		return errors.Join(runErr, err, r.dir.Close())
	}
	fmt.Fprintf(r.stderr, "results: %s\n", r.dir.Path())
	r.captured.tell(r.stderr, r.flags.pcap.path)
	if runErr != nil {
		return errors.Join(fmt.Errorf("the run is incomplete: %w%s", runErr, r.resumeHint(runErr)), r.dir.Close())
	}
	verdict := r.verdict()
	manifest := r.manifest(exitCode(verdict))
	err := r.dir.WriteRecord(r.record())
	if err == nil {
		err = r.writeReport(manifest)
	}
	return errors.Join(verdict, err, r.dir.Finish(manifest))
}

// compared returns the cells with something to compare: all but one of a run that failed before an iteration ended.
func (r *recording) compared(runErr error) []result.Cell {
	if runErr == nil {
		return r.cells
	}
	return slices.DeleteFunc(slices.Clone(r.cells), func(c result.Cell) bool { return c.Computed == 0 && len(c.Samples) == 0 })
}

// show shows people what there is, and judges what a run that ended well comes to.
func (r *recording) show(rows []compare.Row, runErr error) error {
	opt := render.Options{Format: r.format, Unicode: isTerminal(r.stdout)}
	if len(rows) == 0 {
		return r.showParts(opt)
	}
	table := render.Comparison(rows, r.baseline())
	table.Notes = append(table.Notes, render.TimeLines(r.measured())...)
	table.Notes = append(table.Notes, r.scenario.LeftOut(r.flags.clock == "virtual")...)
	table.Notes = append(table.Notes, r.happened()...)
	if runErr == nil {
		r.outcomes = expect.Judge(table, r.measured(), r.scenario.Expect)
		for _, o := range r.outcomes {
			table.Notes = append(table.Notes, o.String())
		}
	}
	return errors.Join(render.Write(r.stdout, table, opt), r.showRepeats(rows, opt), r.showParts(opt))
}

// showParts shows what runs have several of.
func (r *recording) showParts(opt render.Options) error {
	return errors.Join(r.showTallies(opt), r.showFlows(opt), r.showTransit(opt))
}

// record is what reports of this run are made of.
func (r *recording) record() *archive.Record {
	out := &archive.Record{
		Scenario: r.scenario.Name, Description: r.scenario.Description, Axes: r.scenario.Axes(), Baseline: r.baseline(),
		Cells: r.cells, Notes: append(r.scenario.LeftOut(r.flags.clock == "virtual"), r.happened()...),
	}
	for _, o := range r.outcomes {
		out.Expected = append(out.Expected, archive.Outcome{
			Check: o.Check.String(), Text: o.String(), Met: len(o.Failed) == 0, Unjudged: o.Judged == 0 && len(o.Failed) == 0,
		})
	}
	return out
}

// write writes what the cells came to. The computed ones have no run to tell of.
func (r *recording) write(rows []compare.Row) error {
	type run struct {
		System    string       `json:"system"`
		StraggleP float64      `json:"straggle_p"`
		Seed      uint64       `json:"seed"`
		Swept     result.Point `json:"swept,omitzero"`
		Job       string       `json:"job,omitempty"`
		Lab       string       `json:"lab,omitempty"`
	}
	type judged struct {
		run
		Fidelity result.Fidelity `json:"fidelity"`
	}
	type counted struct {
		run
		Counters []result.Counter `json:"counters"`
	}
	verdicts, counters := []judged{}, []counted{}
	for _, c := range r.measured() {
		of := run{c.System, c.StraggleP, c.Seed, c.Point, c.Job, c.Lab}
		verdicts = append(verdicts, judged{of, c.Fidelity})
		counters = append(counters, counted{of, c.Counters})
	}
	return errors.Join(
		r.writeFlows(),
		r.writeRepeats(rows),
		r.writeTimes(),
		r.writeSeries(),
		r.writeTransit(),
		r.writeTallies(),
		r.writeDecisions(),
		r.dir.Write("summary.csv", func(w io.Writer) error { return render.WriteSummary(w, rows, r.baseline()) }),
		r.figure(rows),
		r.dir.Write("links.csv", func(w io.Writer) error { return render.WriteLinks(w, r.measured()) }),
		r.dir.WriteJSON("fidelity.json", verdicts),
		r.dir.WriteJSON("counters.json", counters),
	)
}

// figure draws what there is to compare.
func (r *recording) figure(rows []compare.Row) error {
	f, ok := runfigure.New(r.scenario.Name, r.scenario.Name+": iteration time", rows, r.scenario.Axes())
	if !ok {
		return nil
	}
	f.Notes = append([]string{r.scenario.Description}, f.Notes...)
	return r.dir.Write("summary.svg", func(w io.Writer) error { return figure.Write(w, f) })
}

// baseline is that of the first system of the run that says one, or else of all.
func (r *recording) baseline() result.Baseline {
	var list []job.System
	for _, s := range r.sets {
		for _, j := range s.Jobs {
			list = append(list, j.System)
		}
	}
	return job.Baseline(append(list, systems()...))
}

// measured returns the cells that were run.
func (r *recording) measured() []result.Cell {
	return slices.DeleteFunc(slices.Clone(r.cells), func(c result.Cell) bool { return c.Computed != 0 })
}

// verdict is nil, or why the numbers of a complete run do not stand.
func (r *recording) verdict() error {
	for _, c := range r.measured() {
		if err := c.CheckSums(); err != nil {
			return failed(err)
		}
	}
	if r.watch.diverged != nil {
		return failed(r.watch.diverged)
	}
	for _, o := range r.outcomes {
		if len(o.Failed) > 0 {
			return failed(errors.New(o.String()))
		}
	}
	for _, c := range r.measured() {
		if c.Fidelity.Verdict == result.Invalid {
			return untrusted(fmt.Errorf("%s at %s: the times cannot be believed: %s; close other programs, or use --clock virtual", c.System, c.At(), strings.Join(c.Fidelity.Reasons, "; ")))
		}
	}
	return nil
}

func (r *recording) manifest(exit int) archive.Manifest {
	m := archive.Manifest{
		Command: os.Args, Version: buildVersion(), Commit: commit(), Machine: archive.ThisMachine(), Offloads: []string{}, Scenario: r.scenario.Name,
		Clock: r.flags.clock, Seed: uint64(r.scenario.Seed), Scale: r.scenario.Scale, Scaled: r.scaled, Options: r.scenario.Options(), ExitCode: exit,
	}
	m.Machine.Vector = vec.Variant()
	for _, c := range r.measured() {
		m.Verdicts = append(m.Verdicts, archive.Verdict{
			System: c.System, StraggleP: c.StraggleP, Seed: c.Seed, Swept: c.Point, Job: c.Job, Lab: c.Lab, Switch: c.Switch,
			Fidelity: c.Fidelity.Verdict, Reasons: c.Fidelity.Reasons, Checked: c.Checked, Wrong: c.Wrong,
		})
		m.Offloads = append(m.Offloads, c.Fidelity.Offload...)
	}
	slices.Sort(m.Offloads)
	m.Offloads = slices.Compact(m.Offloads)
	return m
}

// recorder shows how an experiment goes on and writes its samples down as they
// arrive, so that they outlive this process. The run goes on after an error; the
// first of each kind is kept.
type recorder struct {
	*progress
	stream    *archive.Stream
	done      *archive.Unfinished
	unwritten error // samples are missing in the file
	diverged  error // a training came to what is no number

	sampled, events int // lines that were written of the run at hand

	broken error // that is no number in the run at hand
}

// Samples writes a line for each.
func (r *recorder) Samples(of *job.Set, s []result.Sample) {
	r.progress.Samples(of, s)
	j := of.First()
	lines, err := render.SampleLines(s, render.Sampled{Point: j.Point, Lab: of.Lab(), Seed: uint64(j.Seed)})
	r.broken = cmp.Or(r.broken, err)
	r.sampled += len(lines)
	r.unwritten = cmp.Or(r.unwritten, r.stream.Append(lines...))
}

// Ended notes that a run was done, so that it need not be done again.
func (r *recorder) Ended(s *job.Set, cells []result.Cell, err error) {
	r.progress.Ended(s, cells, err)
	d := archive.Done{Cells: cells, Samples: r.sampled, Events: r.events}
	if r.broken != nil {
		d.Diverged = r.broken.Error()
	}
	if err == nil {
		r.unwritten = cmp.Or(r.unwritten, r.done.Append(d))
	}
	r.diverged = cmp.Or(r.diverged, r.broken)
	r.sampled, r.events, r.broken = 0, 0, nil
}

// again takes what is known of a run that was done before.
func (r *recorder) again(d archive.Done) error {
	r.sampled, r.events = d.Samples, d.Events
	if d.Diverged != "" {
		r.broken = errors.New(d.Diverged)
	}
	return nil
}
