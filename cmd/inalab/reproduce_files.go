package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claimreport"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// claimRecorder shows how the check goes on, and writes the tables and figures of
// each experiment down as it ends. The check goes on after an error; the first is
// kept.
type claimRecorder struct {
	*claimProgress
	dir       *archive.Dir
	unwritten error // tables or figures are missing
	ended     []endedExperiment
	kept      []claimreport.Experiment // likewise, for the page
}

// endedExperiment is an experiment that ran with the constants as they are.
type endedExperiment struct {
	id      string
	outcome experiments.Outcome
}

// Ended writes the tables and figures of an experiment; with a changed constant
// it has none worth keeping.
func (r *claimRecorder) Ended(s experiments.Step, o experiments.Outcome) {
	r.claimProgress.Ended(s, o)
	if s.Constant != "" {
		return
	}
	r.ended = append(r.ended, endedExperiment{s.Experiment.ID, o})
	kept := claimreport.Experiment{ID: s.Experiment.ID, Title: s.Experiment.Title, Seconds: o.Seconds}
	if o.Err != nil {
		kept.Failed = o.Err.Error()
	}
	tables := fileNames{in: s.Experiment.ID}
	for _, t := range o.Findings.Tables {
		name := tables.next(string(t.ID))
		table, err := t.Render()
		if err == nil {
			err = writeTable(r.dir, name, table)
		}
		r.unwritten = cmp.Or(r.unwritten, err)
		kept.Tables = append(kept.Tables, claimreport.Table{File: name, Title: t.Title})
	}
	figures := fileNames{in: s.Experiment.ID}
	for _, f := range o.Findings.Figures {
		kept.Figures = append(kept.Figures, r.draw(figures.next(f.ID), f))
	}
	r.kept = append(r.kept, kept)
}

// draw writes a figure, and returns it as it is kept.
func (r *claimRecorder) draw(name string, f figure.Figure) claimreport.Figure {
	if err := writeFigure(r.dir, name, f); err != nil {
		r.unwritten = cmp.Or(r.unwritten, err)
		return claimreport.Figure{File: name, Undrawn: err.Error()}
	}
	return claimreport.Figure{File: name, Data: &f}
}

// fileNames names the files of an experiment by what they hold.
type fileNames struct {
	in   string // the directory
	used map[string]int
}

// next returns the name for an id: the second of an id ends in "-2".
func (n *fileNames) next(id string) string {
	if n.used == nil {
		n.used = map[string]int{}
	}
	name := n.in + "/" + id
	if n.used[id]++; n.used[id] > 1 {
		name += fmt.Sprintf("-%d", n.used[id])
	}
	return name
}

// dirOf returns where the tables and figures of an experiment are; without any,
// the directory of all.
func (r *claimRecorder) dirOf(experiment string) string {
	for _, e := range r.ended {
		if f := e.outcome.Findings; e.id == experiment && len(f.Tables)+len(f.Figures) > 0 {
			return filepath.Join(r.dir.Path(), experiment)
		}
	}
	return r.dir.Path()
}

// unbelievable reports whether an experiment gave nothing because this machine
// was too busy.
func (r *claimRecorder) unbelievable(x *experiment.Experiment) bool {
	return x != nil && slices.ContainsFunc(r.ended, func(e endedExperiment) bool { return e.id == x.ID && e.outcome.Unbelievable() })
}

// usedBy lists the experiments for which a condition holds.
func (r *claimRecorder) usedBy(holds func(experiments.Outcome) bool) string {
	var ids []string
	for _, e := range r.ended {
		if holds(e.outcome) {
			ids = append(ids, e.id)
		}
	}
	return strings.Join(ids, "; ")
}

// idleReadings says which readings of the command line nothing asked for.
func (r *claimRecorder) idleReadings(readings claims.Readings) (notes []string) {
	for _, set := range readings.Changed() {
		id, _, _ := strings.Cut(set, "=")
		if r.usedBy(func(o experiments.Outcome) bool { return o.Took(claims.ID(id)) }) == "" {
			notes = append(notes, "without effect: --reading "+set+": no experiment of this check asked for it")
		}
	}
	return notes
}

// constantsTable is every constant, and which experiments asked for it.
func (r *claimRecorder) constantsTable(all []hostmodel.Constant) render.Table {
	t := render.Table{Columns: []render.Column{
		{Key: "name"}, {Key: "value"}, {Key: "unit"}, {Key: "assumed"}, {Key: "low"}, {Key: "high"}, {Key: "used_by"}, {Key: "source"},
	}}
	for _, c := range all {
		low, high := render.NA(), render.NA()
		if c.Assumed {
			low, high = render.Exact(c.Within().Low), render.Exact(c.Within().High)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(c.Name), render.Exact(c.Value), render.Text(c.Unit), render.Bool(c.Assumed), low, high, render.Text(r.usersOf(c.Name)), render.Text(c.Source),
		})
	}
	return t
}

// readingsTable is every ambiguity, how it is read, and which experiments asked
// for it.
func (r *claimRecorder) readingsTable(l *claims.Ledger, readings claims.Readings) (render.Table, error) {
	t := render.Table{Columns: []render.Column{
		{Key: "ambiguity"}, {Key: "where"}, {Key: "severity"}, {Key: "choice"}, {Key: "default"}, {Key: "choices"}, {Key: "used_by"},
		{Key: "reading"}, {Key: "issue"},
	}}
	for _, a := range l.Ambiguities {
		choice := ""
		if len(a.Choices) > 0 {
			var err error
			if choice, err = readings.Choice(a.ID); err != nil {
				return t, err
			}
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(string(a.ID)), render.Text(a.Where), render.Text(string(a.Severity)),
			render.Text(choice), render.Text(a.Default), render.Text(strings.Join(a.Choices, " ")),
			render.Text(r.usedBy(func(o experiments.Outcome) bool { return o.Took(a.ID) })),
			render.Text(a.Reading), render.Text(a.Issue),
		})
	}
	return t, nil
}

// fileFormats are the files of a table.
var fileFormats = []struct {
	suffix  string
	options render.Options
}{
	{".txt", render.Options{Format: render.FormatTable}},
	{".md", render.Options{Format: render.FormatMarkdown}},
	{".csv", render.Options{Format: render.FormatCSV}},
	{".json", render.Options{Format: render.FormatJSON}},
}

// writeFormats writes what can be written in every format.
func writeFormats(dir *archive.Dir, name string, write func(io.Writer, render.Options) error) error {
	for _, f := range fileFormats {
		if err := dir.Write(name+f.suffix, func(w io.Writer) error { return write(w, f.options) }); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(dir *archive.Dir, name string, t render.Table) error {
	return writeFormats(dir, name, func(w io.Writer, o render.Options) error { return render.Write(w, t, o) })
}

func writeFigure(dir *archive.Dir, name string, f figure.Figure) error {
	if err := dir.Write(name+".svg", func(w io.Writer) error { return figure.Write(w, f) }); err != nil {
		return err
	}
	return dir.Write(name+".pdf", func(w io.Writer) error { return figure.WritePDF(w, f) })
}

func writeCSV(dir *archive.Dir, name string, t render.Table) error {
	return dir.Write(name, func(w io.Writer) error { return render.Write(w, t, render.Options{Format: render.FormatCSV}) })
}
