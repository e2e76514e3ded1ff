package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/reports/bench"
)

type pipelineFlags struct {
	tableFlags
	workers, elements int
	repeat            int
	size              string
	virtual           bool
}

func newBenchPipeline() *cobra.Command {
	var f pipelineFlags
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "What SwitchML on an emulated Tofino sustains beside the reference program",
		Long: `Measures SwitchML twice. On real packets, worker processes in namespaces hand in int32
tensors as fast as they can, links unshaped, to the reference program and to the pipeline
by turns; every sum of the last iteration is checked. Then the switch alone is given
packets in this process: how many, and how many passes, it does in a second, with time
and without. The second needs no privileges: --virtual leaves out the first.`,
		Example: `  inalab bench pipeline
  inalab bench pipeline --virtual --format json`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return benchPipeline(c, f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.workers, "workers", 8, "number of workers, at most 15 for the pipeline")
	flags.IntVar(&f.elements, "elements", 256, "values a packet on real packets, 64 or 256")
	flags.StringVar(&f.size, "size", "16M", "of a tensor, on real packets")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each row")
	flags.BoolVar(&f.virtual, "virtual", false, "the switch alone")
	f.register(flags)
	return c
}

func (f pipelineFlags) check() error {
	switch {
	case f.repeat < 1:
		return fmt.Errorf("--repeat %d: at least 1 is needed", f.repeat)
	case f.workers < 2 || f.workers > maxPipelineWorkers:
		return fmt.Errorf("--workers %d: 2 to %d are possible: ports of one pipe, less one in loopback mode", f.workers, maxPipelineWorkers)
	case f.elements != 64 && f.elements != 256:
		return fmt.Errorf("--elements %d: 64 or 256", f.elements)
	}
	return nil
}

func benchPipeline(c *cobra.Command, f pipelineFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return usage(err)
	}
	var out bench.Pipeline
	if !f.virtual {
		if err := f.live(c.Context(), &out); err != nil {
			return err
		}
	}
	if out.Virtual, err = f.simulate(); err != nil {
		return err
	}
	if err := bench.WritePipeline(c.OutOrStdout(), out, o); err != nil {
		return err
	}
	return checkSums(out.Live, func(r bench.PFELive) uint64 { return r.Wrong })
}

// live measures the engines on real packets; the first is compared with.
func (f pipelineFlags) live(ctx context.Context, out *bench.Pipeline) error {
	a := allReduceFlags{system: "switchml256", topo: "rack", workers: f.workers, iters: 5, warmup: 1, check: true}
	with := func(pipe switchml.Pipe) job.System {
		return switchml.System{Elements: f.elements, Slots: benchWindow, Retransmit: true, Timeout: benchRetransmit, Pipe: pipe}
	}
	names, runs, err := a.byTurns(ctx, []contender{{"reference", with(switchml.Pipe{})}, {"pipeline", with(switchml.Pipe{Pipeline: true})}}, f.size, f.repeat)
	if err != nil {
		return err
	}
	return out.SetLive(names, runs)
}
