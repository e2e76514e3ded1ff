package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/explain"
)

// explainFlags are the options of inalab explain.
type explainFlags struct {
	out, system, p, format string
	seed                   uint64
	job, iteration, block  int
	at                     []string
}

func newExplain() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain [RUN]",
		Short: "Tell the life of one block of a run: who sent it, when, and what became of it",
		Long: `Prints what happened to one block, in order of time: packets that were sent and
arrived, the bitmap of the workers in it, scans of timers, retransmissions, drops,
results, and a verdict. RUN is a results directory, or the name of one below --out;
without it, the newest run is meant, also one that did not come to its end.

What is not named is chosen: the slowest block, from its first packet to its last result,
or one that was never finished. Needs no root.

"inalab run" keeps the events of the first iteration and of such blocks; for another
block run it again with --events ITERATION/BLOCK. Under the virtual clock that is the
same run.

Exit codes: 0 ok, 2 there is no such run or block, or nothing was kept of it.`,
		Example: `  inalab explain
  inalab explain --system trioml --p 16% --iteration 3 --block 12
  inalab explain 20260102T150405Z-straggler-3f9a1c --format json`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return usage(explainBlock(c, args, f)) },
	}
	flags := c.Flags()
	flags.StringVar(&f.system, "system", "", "system of the run (default: that with the slowest block)")
	flags.StringVar(&f.p, "p", "", "straggle probability of the run, as in 16% (default: likewise)")
	flags.StringArrayVar(&f.at, "at", nil, "point of a sweep, as in link.loss=1%; may be repeated (default: likewise)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the run, where it was repeated (default: likewise)")
	flags.IntVar(&f.job, "job", 1, "job; a run has one, job 1")
	flags.IntVar(&f.iteration, "iteration", 0, "iteration, from 0 (default: that of the slowest block)")
	flags.IntVar(&f.block, "block", 0, "block of the tensor, from 0 (default: likewise)")
	flags.StringVarP(&f.out, "out", "o", archive.DefaultRoot, "directory with the results directories")
	flags.StringVar(&f.format, "format", "text", "text or json")
	return c
}

// explainBlock finds the run and the block, and writes its life.
func explainBlock(c *cobra.Command, args []string, f explainFlags) error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format %q: allowed are text, json", f.format)
	}
	if f.job != 1 {
		return fmt.Errorf("--job %d: a run has one job, job 1", f.job)
	}
	q, err := f.query(c)
	if err != nil {
		return err
	}
	dir, err := findRun(f.out, newest(f.out, args))
	if err != nil {
		return err
	}
	life, err := lifeOf(dir, q)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return life.WriteJSON(c.OutOrStdout())
	}
	return life.WriteText(c.OutOrStdout())
}

// query turns the flags that were given into a query.
func (f *explainFlags) query(c *cobra.Command) (explain.Query, error) {
	q := explain.Query{System: f.system, At: f.at}
	given := func(name string) bool { return c.Flags().Changed(name) }
	if given("seed") {
		q.Seed = &f.seed
	}
	if given("iteration") {
		q.Iteration = &f.iteration
	}
	if given("block") {
		q.Block = &f.block
	}
	if f.p != "" {
		p, err := parseShare(f.p)
		if err != nil {
			return q, fmt.Errorf("--p %q: allowed are a percentage as 16%% or a fraction as 0.16", f.p)
		}
		q.StraggleP = &p
	}
	return q, nil
}

// parseShare reads 16% or 0.16.
func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	p, err := strconv.ParseFloat(number, 64)
	if percent {
		p /= 100
	}
	return p, err
}

// lifeOf reads the events of a results directory.
func lifeOf(dir string, q explain.Query) (*explain.Life, error) {
	path, err := eventsOf(dir)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	runs, err := explain.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	life, err := explain.Find(runs, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return life, nil
}

// eventsOf returns the path of the events in a results directory.
func eventsOf(dir string) (string, error) {
	for _, name := range explain.FileNames() {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return "", fmt.Errorf("%s has no %s: it is of a benchmark or an older version, or was run with --events none", dir, explain.FileName)
}

// latest is the name of the latest complete run in a results directory.
const latest = "latest"

// newest names the run that began last, if the arguments name none: latest is a complete one.
func newest(root string, args []string) []string {
	if len(args) > 0 {
		return args
	}
	var name string
	var began time.Time
	for _, n := range runsBelow(root) {
		st, err := os.Stat(filepath.Join(root, n, "COLUMNS.md")) // which is written first
		if err == nil && st.ModTime().After(began) {
			name, began = n, st.ModTime()
		}
	}
	if name == "" {
		return nil
	}
	return []string{name}
}

// findRun returns the results directory that the arguments name.
func findRun(root string, args []string) (string, error) {
	name := latest
	if len(args) > 0 {
		name = args[0]
		if isDir(name) {
			return name, nil
		}
	}
	if dir := filepath.Join(root, name); isDir(dir) {
		return dir, nil
	}
	have := runsBelow(root)
	switch {
	case len(have) == 0:
		return "", fmt.Errorf("there are no runs in %s: start one with \"inalab run straggler --clock virtual\", or say where they are with --out", root)
	case name == latest:
		return "", fmt.Errorf("%s has no complete run: name one of those that are not, as %s", root, have[len(have)-1])
	}
	return "", fmt.Errorf("there is no run %q in %s: there are %s%s", name, root, strings.Join(have[max(0, len(have)-maxListed):], ", "), suggest.DidYouMean(name, have))
}

// maxListed bounds the runs that an error lists, the latest.
const maxListed = 5

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// runsBelow returns the names of the runs in a directory, the oldest first.
func runsBelow(root string) (names []string) {
	entries, _ := os.ReadDir(root) // where it cannot be read there are none
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
