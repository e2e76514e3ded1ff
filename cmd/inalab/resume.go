package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/explain"
	"github.com/inalab/inalab/scenarios"
)

// ofResume are the flags that go with --resume: all others are those of the run that is taken up.
var ofResume = []string{"resume", "out", "format", "lab", "timeout", "dry-run", "quiet", "no-color"}

func noArgument(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: --resume runs the scenario of the run that it takes up: leave it out", args[0])
	}
	return nil
}

// earlier is a run that did not come to its end.
type earlier struct {
	path string
	archive.Begun
	done []archive.Done
}

// resumeRun does the runs that an earlier one did not come to.
func resumeRun(c *cobra.Command, f runFlags) error {
	var wrong error
	c.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(ofResume, flag.Name) {
			wrong = fmt.Errorf("--%s is that of the run that --resume takes up: leave it out", flag.Name)
		}
	})
	if wrong != nil {
		return usage(wrong)
	}
	e, err := openEarlier(f.out, f.resume)
	if err != nil {
		return usage(err)
	}
	f.clock, f.repeat, f.events, f.plain = e.Clock, e.Repeat, e.Events, e.Plain
	format, err := f.check(c)
	if err != nil {
		return usage(err)
	}
	s, sets, err := e.prepare(f)
	if err != nil {
		return usage(err)
	}
	if f.dryRun {
		fmt.Fprintf(c.OutOrStdout(), "%s: %d of %d runs are done\n", e.path, len(e.done), len(sets))
		return describe(c.OutOrStdout(), s, sets[len(e.done):])
	}
	r := recording{flags: f, scenario: s, sets: sets, format: format, stdout: c.OutOrStdout(), stderr: c.ErrOrStderr(), earlier: e, scaled: e.Scaled}
	return f.start(c, func(ctx context.Context) error { return r.run(ctx) })
}

// openEarlier reads what an incomplete run left.
func openEarlier(root, name string) (*earlier, error) {
	dir, err := findRun(root, []string{name})
	if err != nil {
		return nil, err
	}
	if _, err := archive.Open(dir); err == nil {
		return nil, fmt.Errorf("--resume %s: this run is complete: there is nothing left to do", name)
	}
	e := &earlier{path: dir}
	e.Begun, e.done, err = archive.OpenUnfinished(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--resume %s: it has no %s: it is of no scenario, of an earlier version, or ended before its first run: start it anew", name, archive.UnfinishedName)
	case err != nil:
		return nil, fmt.Errorf("--resume %s: %w", name, err)
	case e.Version != buildVersion() || e.Commit != commit():
		return nil, fmt.Errorf("--resume %s: version %s began it, and this is %s: use that one, or start it anew", name, e.Version, buildVersion())
	}
	return e, nil
}

// prepare lays out the runs again, as scenario.yaml of the earlier run has them.
func (e *earlier) prepare(f runFlags) (*scenarios.Scenario, []*job.Set, error) {
	file := filepath.Join(e.path, "scenario.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	s, err := scenarios.Load(scenarios.Source{Name: file, Text: text}, systems())
	if err != nil {
		return nil, nil, err
	}
	sets, err := f.setsOf(s)
	if err != nil {
		return nil, nil, err
	}
	if len(sets) != e.Runs || len(e.done) > e.Runs || digestOf(sets) != e.Plan {
		return nil, nil, fmt.Errorf("--resume %s: its scenario.yaml is not that of its runs any more: start it anew", e.path)
	}
	return s, sets, nil
}

// digestOf is short for all that runs are told.
func digestOf(sets []*job.Set) string {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	for _, s := range sets {
		for _, j := range s.Jobs {
			// They are what processes are told as JSON.
			if err := errors.Join(enc.Encode(j.Cell()), enc.Encode(j.Workers()), enc.Encode(s.Plan()), enc.Encode(j.Changes)); err != nil {
				panic("writing what a run is told: " + err.Error())
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// takenUp is a runner of what is left. Runs that were done are handed over with their lines of other files.
type takenUp struct {
	harness.Runner
	done map[*job.Set]archive.Done // looked up
	copy func(archive.Done) error
}

// RunSet runs jobs in a lab of their own, unless that was done.
func (t takenUp) RunSet(ctx context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	d, ok := t.done[s]
	if !ok {
		return t.Runner.RunSet(ctx, s, progress)
	}
	return d.Cells, t.copy(d)
}

// rest returns the runs that are left.
func (r *recording) rest() []*job.Set {
	if r.earlier == nil {
		return r.sets
	}
	return r.sets[len(r.earlier.done):]
}

// resumed returns a runner that knows what was done, and what closes the files that it reads.
func (r *recording) resumed(runner harness.Runner) (harness.Runner, func() error, error) {
	if r.earlier == nil {
		return runner, func() error { return nil }, nil
	}
	samples, err := archive.OpenLines(filepath.Join(r.earlier.path, samplesName))
	if err != nil {
		return nil, nil, err
	}
	kept, err := archive.OpenLines(filepath.Join(r.earlier.path, explain.FileName))
	if err != nil {
		return nil, nil, errors.Join(err, samples.Close())
	}
	out := takenUp{Runner: runner, done: map[*job.Set]archive.Done{}, copy: func(d archive.Done) error {
		return errors.Join(move(samples, r.watch.stream, d.Samples), move(kept, r.kept, d.Events), r.watch.again(d))
	}}
	for i, d := range r.earlier.done {
		out.done[r.sets[i]] = d
	}
	return out, func() error { return errors.Join(samples.Close(), kept.Close()) }, nil
}

// move copies lines of an earlier run.
func move(from *archive.Lines, to *archive.Stream, n int) error {
	if n == 0 || to == nil {
		return nil
	}
	list, err := from.Take(n)
	if err != nil {
		return err
	}
	return to.Append(list...)
}

// resumeHint says how to go on with a run that was cut short.
func (r *recording) resumeHint(err error) string {
	if len(r.sets) < 2 || len(r.cells) == 0 || !hasCode(err, exitInterrupted) && !hasCode(err, exitTimeout) {
		return ""
	}
	return fmt.Sprintf("; \"inalab run --resume %s\" does what is left", strings.TrimSuffix(r.dir.Path(), "/"))
}
