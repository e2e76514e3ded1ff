package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claimreport"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/runreport"
)

// reportFlags are the options of inalab report.
type reportFlags struct{ out, results, format string }

func newReport() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Write the report of a run or of a check of claims again, or one of many runs",
		Long: `Writes the report of a run as one HTML document that needs no network and no other
file: verdict, answer, comparison, figures, topology with the use of each link, where
the time went, fidelity, provenance, and the command to run it again. RUN is a results
directory, or the name of one below --results; without it, the latest run is meant.

"inalab run" writes the same as report.html and report.md. Of several runs the report
has a table over all, and a section for each. A run that cannot be reported is named
in it. Needs no root.

Of a directory of "inalab reproduce" it makes the page of claims again, from claims.json.gz
and manifest.json; in Markdown that is claims.md. Such a page is made alone.

The report of one run goes into its directory, in place of the one there; that of
several into the current directory. --out - is standard output.

Exit codes: 0 ok, 2 a run is not there, has no manifest, or is of a newer version.`,
		Example: `  inalab report
  inalab report 20260102T150405Z-straggler-3f9a1c -o straggler.html
  inalab report results/*-tenants-* -o tenants.html
  inalab report results/20260102T150405Z-reproduce-3f9a1c -o claims.html
  inalab report --format markdown -o -`,
		Args: arguments(0, maxReported),
		RunE: func(c *cobra.Command, args []string) error { return usage(report(c, args, f)) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "file to write (default: report.html or report.md, in the directory of a single run)")
	flags.StringVar(&f.results, "results", archive.DefaultRoot, "directory with the results directories")
	flags.StringVar(&f.format, "format", "html", "html or markdown")
	return c
}

// maxReported bounds the runs of one report (assumed: 200 pages).
const maxReported = 200

// report reads runs and writes their report. What could be read is written even if something else could not.
func report(c *cobra.Command, args []string, f reportFlags) error {
	name := reportHTML
	switch f.format {
	case "html":
	case "markdown", "md":
		name = reportMarkdown
	default:
		return fmt.Errorf("--format %q: allowed are html, markdown", f.format)
	}
	if len(args) == 0 {
		args = []string{latest}
	}
	if past := checkOf(args, f.results); past != nil {
		return reportCheck(c, past, f.out, name)
	}
	runs, refused := readRuns(args, f.results)
	if len(runs) == 0 {
		return errors.Join(why(refused)...)
	}
	out := f.out
	if out == "" {
		if out = name; len(args) == 1 {
			out = filepath.Join(runs[0].dir, name)
		}
	}
	return errors.Join(append(why(refused), savePage(c, pageOf(runs, refused, out), out, name == reportMarkdown))...)
}

// savePage writes a page as HTML or Markdown.
func savePage(c *cobra.Command, p *page.Page, out string, markdown bool) error {
	write := p.WriteHTML
	if markdown {
		write = p.WriteMarkdown
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	return saveFile(streams{c.OutOrStdout(), c.ErrOrStderr()}, "report", out, text.Bytes())
}

// checkOf returns the check of claims that is the only one named, or nil.
func checkOf(args []string, results string) *archive.Past {
	if len(args) != 1 {
		return nil
	}
	dir, err := findRun(results, args)
	if err != nil {
		return nil
	}
	past, err := archive.Open(dir)
	if err != nil || !claimreport.Is(past) {
		return nil
	}
	return past
}

// reportCheck writes the page of a check of claims again. Its report.md is the table of claims, and stays.
func reportCheck(c *cobra.Command, past *archive.Past, out, name string) error {
	s, err := claimreport.Read(past)
	if err != nil {
		return err
	}
	if name == reportMarkdown {
		name = claimsMarkdown
	}
	if out == "" {
		out = filepath.Join(past.Path, name)
	}
	s.Files = filesFrom(out, past.Path)
	return savePage(c, claimreport.New(s), out, name == claimsMarkdown)
}

// claimsMarkdown is the page of a check in Markdown.
const claimsMarkdown = "claims.md"

// filesFrom is the directory of a run, seen from a report of it.
func filesFrom(out, dir string) string {
	here, err := filepath.Abs(filepath.Dir(out))
	if err != nil || out == "-" {
		return dir
	}
	rel, err := filepath.Rel(here, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// reported is a run that was read.
type reported struct {
	*runreport.Source
	dir string
}

// readRuns reads the runs that are named, and says which could not be.
func readRuns(args []string, results string) (runs []reported, refused []runreport.Refused) {
	for _, name := range args {
		dir, err := findRun(results, []string{name})
		var past *archive.Past
		if err == nil {
			past, err = archive.Open(dir)
		}
		if err == nil && claimreport.Is(past) {
			err = fmt.Errorf("%s is a check of claims: its page is made alone, by \"inalab report %s\"", name, name)
		}
		var s *runreport.Source
		if err == nil {
			s, err = runreport.Read(past)
		}
		if err != nil {
			refused = append(refused, runreport.Refused{Path: name, Why: err})
			continue
		}
		runs = append(runs, reported{s, past.Path})
	}
	return runs, refused
}

func why(refused []runreport.Refused) (errs []error) {
	for _, r := range refused {
		errs = append(errs, r.Why)
	}
	return errs
}

// pageOf makes the page: of one run, or of several.
func pageOf(runs []reported, refused []runreport.Refused, out string) *page.Page {
	var list []*runreport.Source
	for _, r := range runs {
		r.Files = filesFrom(out, r.dir)
		list = append(list, r.Source)
	}
	if len(list) == 1 && len(refused) == 0 {
		return runreport.New(list[0])
	}
	return runreport.Many(list, refused)
}

// canHold reports why a file could not be written, before anything runs.
func canHold(file string) error {
	switch st, err := os.Stat(filepath.Dir(file)); {
	case file == "" || file == "-":
		return nil
	case err != nil || !st.IsDir():
		return fmt.Errorf("--html %s: there is no directory %s", file, filepath.Dir(file))
	case isDir(file):
		return fmt.Errorf("--html %s: it is a directory: name a file in it", file)
	}
	return nil
}

// streams are where a command writes: data, and what is said beside it.
type streams struct{ stdout, stderr io.Writer }

// saveFile writes a file, or standard output: whole, or not at all.
func saveFile(to streams, what, out string, text []byte) error {
	if out == "-" {
		_, err := to.stdout.Write(text)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(out), "."+what+"-*")
	if err != nil {
		return fmt.Errorf("write %s %s: %s", what, out, strings.TrimPrefix(err.Error(), "open "))
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = journal.CurrentCaller().Chown(f.Name())
	}
	if err == nil {
		err = os.Rename(f.Name(), out)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s %s: %w", what, out, err), os.Remove(f.Name()))
	}
	fmt.Fprintf(to.stderr, "%s: %s\n", what, out)
	return nil
}
