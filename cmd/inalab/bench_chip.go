package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
)

type chipFlags struct {
	tableFlags
	load    job.ChipLoad
	size    string
	repeat  int
	virtual bool
}

// newBenchChip is the benchmark of a system's chip.
func newBenchChip(s job.ChipBenched) *cobra.Command {
	var f chipFlags
	b := s.ChipBench()
	c := &cobra.Command{
		Use:     b.Name,
		Short:   b.Short,
		Long:    b.Long,
		Example: fmt.Sprintf("  inalab bench %[1]s\n  inalab bench %[1]s --virtual --format json", b.Name),
		RunE:    func(c *cobra.Command, _ []string) error { return benchChip(c, s, f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.load.Workers, b.Workers.Name, b.Workers.Default, b.Workers.Usage)
	flags.IntVar(&f.load.Values, b.Values.Name, b.Values.Default, b.Values.Usage)
	flags.StringVar(&f.size, "size", b.Size, "of a tensor, on real packets")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each row")
	flags.BoolVar(&f.virtual, "virtual", false, b.Virtual)
	f.register(flags)
	return c
}

func benchChip(c *cobra.Command, s job.ChipBenched, f chipFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.repeat < 1 {
		return usage(fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat))
	}
	if _, err := f.engines(s); err != nil {
		return usage(err)
	}
	out := bench.Chip{Tables: s.ChipBench().Tables}
	if !f.virtual {
		if err := f.live(c.Context(), s, &out); err != nil {
			return err
		}
	}
	if err := f.alone(s, &out); err != nil {
		return err
	}
	if err := bench.WriteChip(c.OutOrStdout(), &out, o); err != nil {
		return err
	}
	return checkSums(out.Live, func(r bench.ChipLive) uint64 { return r.Wrong })
}

// engines returns those that are measured by themselves: of the system, and of others on its chip.
func (f chipFlags) engines(s job.ChipBenched) ([]job.AloneRun, error) {
	out, err := s.Alone(f.load)
	for _, other := range job.ChipBesides(systems(), s.ChipBench().Name) {
		if err != nil {
			break
		}
		var more []job.AloneRun
		more, err = other.Alone(f.load)
		out = append(out, more...)
	}
	return out, err
}

// alone measures engines by themselves, by turns.
func (f chipFlags) alone(s job.ChipBenched, out *bench.Chip) error {
	for range f.repeat {
		runs, err := f.engines(s)
		if err != nil {
			return err
		}
		if out.Alone == nil {
			out.Alone = make([]bench.ChipAlone, len(runs))
		}
		for i, run := range runs {
			began, row := time.Now(), &out.Alone[i]
			if row.ChipRun, err = run(); err != nil {
				return err
			}
			row.Wall = append(row.Wall, time.Since(began).Seconds())
		}
	}
	return nil
}

// live measures engines on real packets, by turns.
func (f chipFlags) live(ctx context.Context, s job.ChipBenched, out *bench.Chip) error {
	size, err := units.ParseBytes(f.size)
	switch {
	case err != nil:
		return usage(fmt.Errorf("--size: %w", err))
	case size < 4 || size%4 != 0:
		return usage(fmt.Errorf("--size %s: a tensor has a multiple of 4 bytes", f.size))
	}
	a := allReduceFlags{system: s.Name(), topo: "rack", workers: f.load.Workers, iters: 5, warmup: 1, check: true}
	engines := s.Contenders(f.load, benchLimits)
	jobs, names := make([]*job.Job, len(engines)), make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.Name
		if jobs[i], err = a.jobOf(e.System, size); err != nil {
			return usage(err)
		}
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	runs := make([][]bench.AllReduce, len(jobs))
	for range f.repeat {
		for i, j := range jobs {
			row, err := a.measure(ctx, j, false)
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], row)
		}
	}
	return out.SetLive(names, runs)
}
