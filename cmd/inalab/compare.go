package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/change"
	"github.com/inalab/inalab/reports/render"
)

// compareFlags are the options of inalab compare.
type compareFlags struct {
	tableFlags
	rule    ruleFlags
	history historyFlags
	results string
}

// ruleFlags say what a change is.
type ruleFlags struct {
	threshold string
	alpha     float64
}

func (f *ruleFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.threshold, "threshold", "", "least change of the iteration time, as 3% (default: 2% live, 5% live with one run a side, 0.1% virtual)")
	flags.Float64Var(&f.alpha, "alpha", change.DefaultAlpha, "chance of a false alarm among all rows of live runs")
}

// rule checks the flags.
func (f ruleFlags) rule() (change.Rule, error) {
	r := change.Rule{Alpha: f.alpha}
	if !(f.alpha > 0 && f.alpha < 1) {
		return r, fmt.Errorf("--alpha %g: a number between 0 and 1 is needed", f.alpha)
	}
	if f.threshold == "" {
		return r, nil
	}
	digits, ok := strings.CutSuffix(f.threshold, "%")
	v, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(v >= 0 && v <= 1000) {
		return r, fmt.Errorf("--threshold %q: a percentage from 0%% to 1000%% is needed, as 3%%", f.threshold)
	}
	v /= 100
	r.Threshold = &v
	return r, nil
}

func newCompare() *cobra.Command {
	var f compareFlags
	var allow []string
	c := &cobra.Command{
		Use:   "compare OLD... [--] NEW... | --history [SELECTION...]",
		Short: "Say which rows changed between two runs, or two sets of runs, and by how much",
		Long: `Holds new runs against old ones of the same scenario, row by row: a row is a system at one
point of a sweep. OLD and NEW are results directories, names of such below --results, or
directories that hold results directories, which stand for all of them. Two names are two
sides; of more, -- separates the old from the new.

Runs are paired by seed, and their iterations one by one. A row changed where its
iteration time differs by --threshold at least and, live, where the paired t-test over
the pairs of runs says that this is no chance. Under the virtual clock a seed always gives the
same times, so that the threshold alone decides.

Runs of different scenario, clock or scale are refused. Rows that one side lacks, that are
invalid or whose sums were wrong are named, and have no part. Needs no root.
"inalab run --paired" makes runs of two builds and compares them.

With --history all runs below --results are shown by time, each against the median of those
before it that are of the same scenario, clock, scale, seed and, live, kind of machine; a figure
shows the trend. SELECTION is a scenario, or KEY=VALUE, where all must hold. An
index, history.sqlite below --results, is brought up to date first; --rebuild makes it again.

Exit codes: 0 nothing changed, 1 something did, 2 a run cannot be read or compared.`,
		Example: `  inalab compare 20260102T150405Z-straggler-3f9a1c latest
  inalab compare results/20260102* -- results/20260103*
  inalab compare old-results new-results --threshold 3% --format markdown
  inalab compare naive skip --allow trio.wake
  inalab compare --history straggler system=trioml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if f.history.on {
				return showHistory(c, args, f)
			}
			if err := f.alone(c, args); err != nil {
				return usage(err)
			}
			rule, err := f.rule.rule()
			if err != nil {
				return usage(err)
			}
			rule.Allow = allow
			return compareRuns(c, args, f, rule)
		},
	}
	flags := c.Flags()
	f.register(flags)
	f.rule.register(flags)
	flags.StringArrayVar(&allow, "allow", nil, "key of the scenario that may differ, as trio.wake; may be repeated")
	flags.BoolVar(&f.history.on, "history", false, "show all runs by time, each against those before")
	flags.BoolVar(&f.history.rebuild, "rebuild", false, "with --history: read all results directories again")
	flags.StringVarP(&f.history.out, "out", "o", "", "with --history: file of the figure (default: history.svg below --results)")
	flags.StringVar(&f.results, "results", archive.DefaultRoot, "directory with the results directories")
	return c
}

// maxCompared bounds the names of one comparison (assumed: a year of nights).
const maxCompared = 1000

// alone refuses what is of --history, and arguments that are too few or too many.
func (f *compareFlags) alone(c *cobra.Command, args []string) error {
	for _, name := range []string{"rebuild", "out"} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is of --history", name)
		}
	}
	return arguments(2, maxCompared)(c, args)
}

// compareRuns compares what can be read. Runs that are named and cannot be are an error all the same.
func compareRuns(c *cobra.Command, args []string, f compareFlags, rule change.Rule) error {
	options, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	names, err := sidesOf(args, c.ArgsLenAtDash())
	if err != nil {
		return usage(err)
	}
	var (
		sides  [2][]*change.Run
		errs   []error
		unread []string
	)
	for i := range names {
		runs, without, err := readSide(names[i], f.results)
		sides[i], unread, errs = runs, append(unread, without...), append(errs, err)
	}
	failed := errors.Join(errs...)
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return usage(errors.Join(failed, errors.New("there is nothing to compare: one side has no run that can be read"), errors.New(strings.Join(unread, "; "))))
	}
	result, err := change.Of(sides[0], sides[1], rule)
	if err != nil {
		return usage(errors.Join(failed, err))
	}
	result.Notes = append(result.Notes, unread...)
	return showComparison(c, result, options, failed)
}

// sidesOf parts the names of old runs from those of new ones: by --, which stood behind so many, or where there are two.
func sidesOf(args []string, dash int) (names [2][]string, err error) {
	switch {
	case dash > 0 && dash < len(args):
		names = [2][]string{args[:dash], args[dash:]}
	case len(args) == 2 && dash < 0:
		names = [2][]string{args[:1], args[1:]}
	default:
		return names, fmt.Errorf("which of %d runs are the old ones? write -- between the old and the new, as in inalab compare OLD... -- NEW", len(args))
	}
	if i := slices.IndexFunc(names[1], func(n string) bool { return strings.HasPrefix(n, "--") }); i >= 0 {
		return names, fmt.Errorf("%q behind --: flags stand before it", names[1][i])
	}
	return names, nil
}

// showComparison writes the table. What could not be read counts before what changed.
func showComparison(c *cobra.Command, result *change.Comparison, options render.Options, unread error) error {
	err := render.Write(c.OutOrStdout(), result.Table(), options)
	if err = errors.Join(usage(unread), err); err != nil {
		return err
	}
	switch {
	case result.Changed():
		return silently(exitFailed)
	case result.Judged() == 0:
		return usage(errors.New(result.Summary()))
	}
	return nil
}

// readSide reads the runs of a side. A directory of results directories stands for those of them that can be
// read, and the others are noted.
func readSide(names []string, results string) (runs []*change.Run, notes []string, failed error) {
	var errs []error
	for _, name := range names {
		dir, err := findRun(results, []string{name})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r, err := change.Read(dir)
		incomplete := (*archive.IncompleteError)(nil)
		if below := runDirsBelow(dir); errors.As(err, &incomplete) && len(below) > 0 {
			for _, d := range below {
				if r, err := change.Read(d); err == nil {
					runs = append(runs, r)
				} else {
					notes = append(notes, "no part: "+err.Error())
				}
			}
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.Name = name
		runs = append(runs, r)
	}
	return runs, notes, errors.Join(errs...)
}

// runDirsBelow returns the directories in one, if any of them is a results directory.
func runDirsBelow(dir string) (dirs []string) {
	found := false
	for _, name := range runsBelow(dir) {
		path := filepath.Join(dir, name)
		dirs = append(dirs, path)
		_, err := os.Stat(filepath.Join(path, "manifest.json"))
		found = found || err == nil
	}
	if !found {
		return nil
	}
	return dirs
}
