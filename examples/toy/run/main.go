// Command run runs the toy of examples/toy, which the program inalab does not list. It
// shows how a program gives a list of systems of its own to everything that needs one.
//
//	go run ./examples/toy/run                    # under the virtual clock
//	sudo go run ./examples/toy/run --clock live  # on real packets
//
// Exit codes: 0 every sum was right, 1 the run failed, 2 a flag or the scenario is wrong.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/scenarios"
)

// systems lists what the program knows: what inalab knows, and the toy.
func systems() []job.System { return append(system.All(), toy.System{}) }

func main() { os.Exit(start(os.Args, systems())) }

// start plays a node of a live run where the arguments ask for one.
func start(args []string, systems []job.System) int {
	if code, ok := node.Main(args, systems); ok {
		return code
	}
	var seed uint64
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	clock := flags.String("clock", "virtual", "virtual (deterministic) or live (real packets)")
	file := flags.String("scenario", "examples/toy/toy.scenario.yaml", "what to run")
	set := flags.StringArray("set", nil, "override a value of the scenario; may be repeated")
	flags.Uint64Var(&seed, "seed", 1, "seed, in place of the scenario's")
	if err := flags.Parse(args[1:]); err != nil {
		return end(2, err)
	}
	sets, err := load(scenarios.Source{Name: *file, Set: append(*set, "seed="+strconv.FormatUint(seed, 10))}, systems, *clock == "virtual")
	switch {
	case err != nil:
		return end(2, err)
	case *clock == "live":
		if code, done, err := netns.Enter(); err != nil || done { // again, in a user namespace
			return end(code, err)
		}
	case *clock != "virtual":
		return end(2, fmt.Errorf("--clock %q: allowed are virtual, live", *clock))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return end(0, live.WithLogs(ctx, "toy", func(logs string) error { return run(ctx, sets, *clock, logs) }))
}

// end writes an error, and returns the exit code: an error is never 0.
func end(code int, err error) int {
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return code
	}
	fmt.Fprintln(os.Stderr, "toy:", err)
	return cmp.Or(code, 1)
}

// load lays out the jobs of a scenario file.
func load(src scenarios.Source, systems []job.System, virtual bool) (_ []*job.Set, err error) {
	if src.Text, err = os.ReadFile(src.Name); err != nil {
		return nil, err
	}
	s, err := scenarios.Load(src, systems)
	if err != nil {
		return nil, err
	}
	return s.Sets(virtual)
}

// run runs the jobs, and prints the table that compares them.
func run(ctx context.Context, sets []*job.Set, clock, logs string) error {
	images, err := worker.LoadImages()
	if err != nil {
		return err
	}
	var runner harness.Runner = harness.Virtual{Images: images}
	if clock == "live" {
		runner = harness.Live{Options: live.Options{Lab: netns.NewLabName(), Logs: logs, Owner: journal.CurrentCaller()}}
	}
	cells, err := harness.Experiment{Name: "toy", Sets: sets}.Run(ctx, runner, quiet{})
	for _, c := range cells {
		err = errors.Join(err, c.CheckSums())
	}
	baseline := job.Baseline(system.All())
	return errors.Join(err, render.Write(os.Stdout, render.Comparison(compare.Rows(cells, baseline), baseline), render.Options{}))
}

// quiet shows no progress. It is a harness.Observer.
type quiet struct{}

func (quiet) Began(int, int, *job.Set)             {}
func (quiet) Samples(*job.Set, []result.Sample)    {}
func (quiet) Ended(*job.Set, []result.Cell, error) {}
