package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

type fidelityFlags struct {
	tableFlags
	repeat int
}

// fidelityLab is a lab whose verdict is known beforehand.
type fidelityLab struct {
	name       string
	hosts      int
	link       topo.LinkSpec
	size       units.Bytes
	compute    units.Duration
	iterations int
	want       []string // any of these verdicts
}

func newBenchFidelity() *cobra.Command {
	var f fidelityFlags
	c := &cobra.Command{
		Use:   "fidelity",
		Short: "Whether an idle lab is trusted, and one beyond this machine is not",
		Long: `Runs two labs on real packets, --repeat times each, by turns: two hosts at 100 Mbit/s,
which any machine carries, and eight hosts that send as fast as they can, which is more
than the machine has. The first has to be trusted each time, the second busy or invalid
each time; else the exit code is 1. The machine should do nothing else meanwhile.`,
		Example: "  inalab bench fidelity --repeat 20",
		RunE:    func(c *cobra.Command, _ []string) error { return benchFidelity(c, f) },
	}
	c.Flags().IntVar(&f.repeat, "repeat", 20, "runs of each lab")
	f.register(c.Flags())
	return c
}

func fidelityLabs() []fidelityLab {
	return []fidelityLab{
		{
			name: "idle", hosts: 2, link: topo.LinkSpec{Rate: 100 * units.MbitPerSecond, Delay: 10 * units.Microsecond, Queue: 4 * units.MiB},
			size: units.MiB, compute: 100 * units.Millisecond, iterations: 20, want: []string{result.Trusted},
		},
		{
			name: "overload", hosts: 8, link: topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Queue: 64 * units.MiB},
			size: 4 * units.MiB, compute: units.Millisecond, iterations: 20, want: []string{result.Busy, result.Invalid},
		},
	}
}

func benchFidelity(c *cobra.Command, f fidelityFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.repeat < 1 {
		return usage(fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat))
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	labs := fidelityLabs()
	rows := make([]bench.Fidelity, len(labs))
	for range f.repeat {
		for i, l := range labs {
			cell, err := l.run(c.Context())
			if err != nil {
				return fmt.Errorf("lab %s: %w", l.name, err)
			}
			rows[i].Lab, rows[i].Want = l.name, l.want
			rows[i].Take(cell.Fidelity, slices.Contains(l.want, cell.Fidelity.Verdict))
		}
	}
	if err := bench.WriteFidelity(c.OutOrStdout(), rows, o); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Met < r.Runs {
			return failed(fmt.Errorf("lab %s: %d of %d runs have the verdict that they must have", r.Lab, r.Met, r.Runs))
		}
	}
	return nil
}

// run runs a lab once. Sums are checked as ever.
func (l fidelityLab) run(ctx context.Context) (cell result.Cell, err error) {
	b, err := job.FindBench(benches(), benchDefault())
	if err != nil {
		return cell, err
	}
	p, err := planOf("rack", gen.Params{Hosts: l.hosts, Link: l.link})
	if err != nil {
		return cell, err
	}
	j, err := job.New(job.Spec{
		System: b.System, Plan: p, Scale: 1, Iterations: l.iterations, Replay: true, Exact: true,
		Model: profiles.Profile{Name: l.name, Bytes: l.size, Compute: l.compute},
	})
	if err != nil {
		return cell, err
	}
	err = live.WithLogs(ctx, "bench", func(logs string) (err error) {
		cell, err = live.RunJob(ctx, j, live.Options{Lab: netns.NewLabName(), Logs: logs, Owner: journal.CurrentCaller()})
		return err
	})
	return cell, err
}
