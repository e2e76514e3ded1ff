package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/reports/change"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
)

// pairedRun runs a scenario with two builds in turn, and compares them.
type pairedRun struct {
	name           string // of the scenario, as given
	flags          runFlags
	rule           change.Rule
	scenario       *scenarios.Scenario
	options        render.Options
	stdout, stderr io.Writer

	builds [2]string // paths: the old build, this one
	scale  int
	line   statusLine
	runs   [2][]*change.Run
	notes  []string
}

// words for the builds.
var buildWords = [2]string{"old", "new"}

// runPaired checks the old build, finds the scale where the scenario leaves it open, and runs the pairs.
func (r *recording) runPaired(ctx context.Context, name string) error {
	p := &pairedRun{
		name: name, flags: r.flags, scenario: r.scenario, options: tableOptions(r.stdout), stdout: r.stdout, stderr: r.stderr,
		line: newStatusLine(r.stderr, r.flags.quiet),
	}
	p.options.Format = r.format
	var err error
	if p.rule, err = r.flags.rule.rule(); err != nil {
		return usage(err)
	}
	if p.builds[0], err = checkOld(ctx, r.flags.paired); err != nil {
		return usage(err)
	}
	if p.builds[1], err = os.Executable(); err != nil {
		return err
	}
	if err := r.settle(ctx, journal.CurrentCaller()); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	p.scenario, p.scale = r.scenario, r.scenario.Scale
	return p.run(ctx)
}

// run makes the pairs in the order old, new, new, old, so that what drifts on the machine meets both builds alike.
func (p *pairedRun) run(ctx context.Context) error {
	began := time.Now()
	for i := range p.flags.repeat {
		for k := range p.builds {
			which := (i + k) % 2
			if err := p.once(ctx, which, i); err != nil {
				return fmt.Errorf("pair %d, %s build: %w", i+1, buildWords[which], err)
			}
		}
	}
	result, err := change.Of(p.runs[0], p.runs[1], p.rule)
	if err != nil {
		return usage(err)
	}
	took := fmt.Sprintf("pairs of runs: %d, in the order old, new, new, old, in %.1f minutes", p.flags.repeat, time.Since(began).Minutes())
	result.Notes = append([]string{took}, append(p.notes, result.Notes...)...)
	if err := render.Write(p.stdout, result.Table(), p.options); err != nil {
		return err
	}
	p.line.keep("%s", took)
	switch {
	case result.Changed():
		return failed(errors.New(result.Summary()))
	case result.Judged() == 0:
		return untrusted(errors.New(result.Summary()))
	}
	return nil
}

// once runs one build with the seed of a pair, and reads what it wrote.
func (p *pairedRun) once(ctx context.Context, which, i int) error {
	p.line.draw(fmt.Sprintf("pair %d of %d: %s build", i+1, p.flags.repeat, buildWords[which]))
	began := time.Now()
	code, log, err := runChild(ctx, p.builds[which], p.args(i))
	if err != nil {
		return err
	}
	dir := resultsIn(log)
	switch code {
	case exitOK, exitFailed, exitInvalid: // there may be results, which say what is wrong with them
	default:
		return withCode(code, fmt.Errorf("%s ended with code %d:\n%s", p.builds[which], code, strings.TrimSpace(log)))
	}
	if dir == "" {
		return usage(fmt.Errorf("%s wrote no results:\n%s", p.builds[which], strings.TrimSpace(log)))
	}
	run, err := change.Read(dir)
	if err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(log)))
	}
	run.Name = filepath.Base(dir)
	p.runs[which] = append(p.runs[which], run)
	if code != exitOK {
		p.notes = append(p.notes, fmt.Sprintf("%s, of the %s build, ended with code %d: %s", run.Name, buildWords[which], code, lastLine(log)))
	}
	p.line.keep("pair %d of %d: %s build, %.1f s, %s", i+1, p.flags.repeat, buildWords[which], time.Since(began).Seconds(), dir)
	return nil
}

// args are the command line of a run: everything that this one was told, with the seed of the pair and the scale.
func (p *pairedRun) args(i int) []string {
	f := p.flags
	args := []string{"run", p.name, "--clock", f.clock, "--out", f.out, "--events", f.events, "--quiet"}
	for _, o := range []struct{ flag, value string }{{"--topo", f.topo}, {"--model", f.model}, {"--lab", f.lab}} {
		if o.value != "" {
			args = append(args, o.flag, o.value)
		}
	}
	if f.plain {
		args = append(args, "--no-offload")
	}
	for _, s := range f.set {
		args = append(args, "--set", s)
	}
	for _, s := range f.sweep {
		args = append(args, "--sweep", s)
	}
	return append(args, "--set", fmt.Sprintf("seed=%d", p.scenario.Again(i).Seed), "--set", fmt.Sprintf("scale=%d", p.scale))
}

// resultsIn finds the directory that a run says that it wrote.
func resultsIn(log string) (dir string) {
	for line := range strings.Lines(log) {
		if found, ok := strings.CutPrefix(strings.TrimSpace(line), "results: "); ok {
			dir = found
		}
	}
	return dir
}

func lastLine(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return lines[len(lines)-1]
}

// describePairs prints what --paired would run.
func describePairs(w io.Writer, s *scenarios.Scenario, sets []*job.Set, f runFlags) error {
	fmt.Fprintf(w, "%d pairs of %s and this build, seeds %d to %d\n", f.repeat, f.paired, s.Seed, s.Again(f.repeat-1).Seed)
	return describe(w, s, sets)
}

// checkPaired refuses flags of a comparison without one.
func (f runFlags) checkPaired(c *cobra.Command) error {
	for _, name := range []string{"threshold", "alpha"} {
		if f.paired == "" && c.Flags().Changed(name) {
			return fmt.Errorf("--%s is of --paired: name the build to compare with, or use \"inalab compare\"", name)
		}
	}
	_, err := f.rule.rule()
	return err
}
