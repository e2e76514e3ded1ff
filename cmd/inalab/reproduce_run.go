package main

import (
	"cmp"
	"context"
	_ "embed" // of what COLUMNS.md says
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/inalab/inalab/experiments"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// reproduction is one check of claims with its results directory.
type reproduction struct {
	flags          reproduceFlags
	ids            []string
	ledger         *claims.Ledger
	list           []experiment.Experiment
	noLive         string // why live experiments cannot run
	stdout, stderr io.Writer

	format    render.Format
	readings  claims.Readings
	selection claims.Selection

	dir        *archive.Dir
	watch      *claimRecorder
	influences experiments.Influences // of --sensitivity
}

//go:embed reproduce_columns.md
var reproduceColumns string

//go:embed reproduce_files.md
var reproduceFiles string

func (r *reproduction) run(ctx context.Context) error {
	dir, err := archive.Create(archive.Options{
		Root: r.flags.out, Scenario: "reproduce", Started: time.Now(),
		Columns: reproduceColumns, Files: reproduceFiles, Own: journal.CurrentCaller().Chown,
	})
	if err != nil {
		return err
	}
	r.dir = dir
	r.watch = &claimRecorder{claimProgress: &claimProgress{line: newStatusLine(r.stderr, r.flags.quiet)}, dir: dir}
	r.watch.start(r, dir.Path())
	opt := experiments.Options{
		Quick: r.flags.quick, Seed: rng.Root(r.flags.seed), Readings: r.readings, NoLive: r.noLive, Observer: r.watch,
		Dir: r.watch.dirOf,
	}
	report, runErr := r.check(ctx, opt)
	if runErr != nil && context.Cause(ctx) != nil {
		runErr = errors.Join(context.Cause(ctx), runErr)
	}
	report.Notes = append(report.Notes, r.watch.idleReadings(r.readings)...)
	return r.finish(report, errors.Join(runErr, r.watch.unwritten))
}

// check runs the experiments, and with --sensitivity those with changed
// constants too.
func (r *reproduction) check(ctx context.Context, opt experiments.Options) (claims.Report, error) {
	if !r.flags.sensitivity {
		return experiments.Reproduce(ctx, r.selection, r.list, opt)
	}
	report, influences, err := experiments.Sensitivity(ctx, r.selection, r.list, opt)
	if err == nil || len(influences.List) > 0 {
		report.Tables = append(report.Tables, influences.Table())
	}
	r.influences = influences
	return report, err
}

// finish writes the report, shows it, and says how it went. A check that was cut
// short leaves its results without a manifest.
func (r *reproduction) finish(report claims.Report, runErr error) error {
	verdict := r.verdict(report)
	manifest := r.manifest(exitCode(cmp.Or(runErr, verdict)))
	if err := r.write(report); err != nil {
		return errors.Join(runErr, err, r.dir.Close())
	}
	runErr = errors.Join(runErr, r.writePage(report, manifest, runErr))
	if len(report.Results) > 0 && r.flags.html != "-" {
		if err := report.Write(r.stdout, r.options()); err != nil {
			return errors.Join(runErr, err, r.dir.Close())
		}
	}
	fmt.Fprintf(r.stderr, "results: %s\n", r.dir.Path())
	if runErr != nil {
		return errors.Join(fmt.Errorf("the check is incomplete: %w", runErr), r.dir.Close())
	}
	return errors.Join(verdict, r.dir.Finish(manifest))
}

// verdict is nil, or which claims did not come out as the ledger says. Where all
// that is wrong is that the machine was too busy, it says so with a code of its own.
func (r *reproduction) verdict(report claims.Report) error {
	var wrong, unbelievable []string
	for _, res := range report.Results {
		switch {
		case res.Expected:
		case r.watch.unbelievable(experiments.Find(r.list, res.ID)):
			unbelievable = append(unbelievable, string(res.ID))
		default:
			wrong = append(wrong, string(res.ID))
		}
	}
	switch {
	case len(wrong) > 0:
		return failed(fmt.Errorf("not as the ledger expects: %s", some(wrong)))
	case len(unbelievable) > 0:
		return untrusted(fmt.Errorf("the machine was too busy to check %s: close other programs", some(unbelievable)))
	}
	return nil
}

// some names the first of many.
func some(ids []string) string {
	const shown = 5
	if more := len(ids) - shown; more > 0 {
		ids = append(ids[:shown:shown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(ids, ", ")
}

// write writes all that is known at the end: the report, and what it rests on.
func (r *reproduction) write(report claims.Report) error {
	readings, err := r.watch.readingsTable(r.ledger, r.readings)
	if err != nil {
		return err
	}
	errs := []error{
		writeFormats(r.dir, "report", report.Write),
		writeCSV(r.dir, "constants.csv", r.watch.constantsTable(experiment.Constants().All())),
		writeCSV(r.dir, "readings.csv", readings),
	}
	for _, t := range report.Tables {
		errs = append(errs, writeTable(r.dir, t.ID, t))
	}
	return errors.Join(errs...)
}

// reproduceOptions is what the manifest has of the command line, resolved.
type reproduceOptions struct {
	Claims      []claims.ID `json:"claims"`
	Quick       bool        `json:"quick"`
	Sensitivity bool        `json:"sensitivity"`
	Readings    []string    `json:"readings"` // that are not the default
	TimeoutS    float64     `json:"timeout_s"`
	NoLive      string      `json:"no_live"` // why live experiments could not run
}

func (r *reproduction) manifest(exit int) archive.Manifest {
	o := reproduceOptions{
		Claims: []claims.ID{}, Quick: r.flags.quick, Sensitivity: r.flags.sensitivity,
		Readings: append([]string{}, r.readings.Changed()...), TimeoutS: r.flags.timeout.Seconds(), NoLive: r.noLive,
	}
	for _, c := range r.selection.Claims {
		o.Claims = append(o.Claims, c.ID)
	}
	for _, w := range r.selection.Unseen {
		o.Claims = append(o.Claims, w.ID)
	}
	m := archive.Manifest{
		Command: os.Args, Version: buildVersion(), Commit: commit(), Machine: archive.ThisMachine(), Offloads: []string{}, Scenario: "reproduce",
		Clock: "virtual", Seed: r.flags.seed, Scale: 1, Options: o, Verdicts: []archive.Verdict{}, ExitCode: exit,
	}
	m.Machine.Vector = vec.Variant()
	return m
}
