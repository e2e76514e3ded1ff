package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/export"
)

func newExport() *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use:   "export [RESULT...]",
		Short: "Write results for other programs: JUnit XML, Go benchmarks, github-action-benchmark, Markdown",
		Long: `Prints what earlier runs came to in a form that other programs read. RESULT is a
results directory of run or reproduce, or the name of one below --out, or a file with
what "inalab bench ... --format json" printed. Without any, the latest run is meant.

  summary      Markdown, for people: what is not as it must be, and what was measured
  junit        JUnit XML: the checks of sums, of fidelity and of what a scenario
               expects, or the claims, each as a test. A known failure passes.
  benchfmt     Go's benchmark format, as benchstat reads it
  gab-smaller  JSON for github-action-benchmark, customSmallerIsBetter
  gab-bigger   likewise, customBiggerIsBetter

A result that cannot be read, or whose run died, is a test in error, and the others
are written all the same.

Exit codes: 0 ok, 2 a result cannot be read. What a result says changes no code.`,
		Example: `  inalab export --format junit > junit.xml
  inalab export results/2026*/ bench.json --format summary >> "$GITHUB_STEP_SUMMARY"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return usage(exportResults(c, args, out, format)) },
	}
	c.Flags().StringVar(&format, "format", string(export.Summary), "of standard output: "+exportFormats())
	c.Flags().StringVarP(&out, "out", "o", archive.DefaultRoot, "directory with the results directories")
	return c
}

func exportFormats() string {
	var names []string
	for _, f := range export.Formats {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// exportResults writes all that can be read, and says what cannot.
func exportResults(c *cobra.Command, args []string, root, format string) error {
	if !slices.Contains(export.Formats, export.Format(format)) {
		return fmt.Errorf("--format %q: allowed are %s", format, exportFormats())
	}
	if len(args) == 0 {
		dir, err := findRun(root, nil)
		if err != nil {
			return err
		}
		args = []string{dir}
	}
	var (
		reports []*export.Report
		errs    []error
	)
	for _, arg := range args {
		r := export.Read(resultPath(root, arg))
		reports = append(reports, r)
		errs = append(errs, r.Broken)
	}
	return errors.Join(append(errs, export.Write(c.OutOrStdout(), reports, export.Format(format)))...)
}

// resultPath returns the path that an argument means: as it stands, or the directory of that name below the
// root.
func resultPath(root, arg string) string {
	if found, err := findRun(root, []string{arg}); err == nil {
		return found
	}
	return arg
}
