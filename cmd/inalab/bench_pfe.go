package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/reports/bench"
)

type pfeFlags struct {
	tableFlags
	workers, grads int
	repeat         int
	size           string
	virtual        bool
}

func newBenchPFE() *cobra.Command {
	var f pfeFlags
	c := &cobra.Command{
		Use:   "pfe",
		Short: "What Microcode on an emulated Trio PFE sustains, and how fast it is simulated",
		Long: `Measures Trio-ML twice. On real packets, worker processes in namespaces hand in int32
tensors as fast as they can, to the Microcode program and to the reference program by
turns; every sum of the last iteration is checked. Under the virtual clock a PFE with
time, in which every XTXN of every thread is an event, takes packets at the rate that
its adders bear. The second needs no privileges: --virtual leaves out the first.`,
		Example: `  inalab bench pfe
  inalab bench pfe --virtual --format json`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return benchPFE(c, f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.workers, "workers", 4, "number of workers")
	flags.IntVar(&f.grads, "gradients", 1024, "per packet")
	flags.StringVar(&f.size, "size", "64M", "of a tensor, on real packets")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each row")
	flags.BoolVar(&f.virtual, "virtual", false, "under the virtual clock only")
	f.register(flags)
	return c
}

func benchPFE(c *cobra.Command, f pfeFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.repeat < 1 {
		return usage(fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat))
	}
	var out bench.PFE
	if !f.virtual {
		if out.Live, err = f.live(c.Context()); err != nil {
			return err
		}
	}
	if out.Virtual, err = f.simulate(); err != nil {
		return usage(err)
	}
	if err := bench.WritePFE(c.OutOrStdout(), out, o); err != nil {
		return err
	}
	return checkSums(out.Live, func(r bench.PFELive) uint64 { return r.Wrong })
}

// live measures the engines on real packets; the first is compared with.
func (f pfeFlags) live(ctx context.Context) ([]bench.PFELive, error) {
	a := allReduceFlags{system: "trioml", topo: "rack", workers: f.workers, iters: 5, warmup: 1, check: true}
	with := func(pfe trioml.PFE) job.System {
		return trioml.System{Grads: f.grads, Window: benchWindow / 4, NoAging: true, PFE: pfe}
	}
	names, runs, err := a.byTurns(ctx, []contender{{"reference", with(trioml.PFE{Reference: true})}, {"microcode", with(trioml.PFE{})}}, f.size, f.repeat)
	if err != nil {
		return nil, err
	}
	return bench.NewPFELive(names, runs)
}
