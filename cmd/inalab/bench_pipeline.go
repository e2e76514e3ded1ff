package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo/gen"
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

// pipelineEngines are what can aggregate SwitchML; the first is compared with.
var pipelineEngines = []struct {
	name string
	pipe job.Pipe
}{{"reference", job.Pipe{}}, {"pipeline", job.Pipe{Pipeline: true}}}

// live measures the engines on real packets, by turns.
func (f pipelineFlags) live(ctx context.Context, out *bench.Pipeline) error {
	size, err := units.ParseBytes(f.size)
	if err != nil {
		return usage(fmt.Errorf("--size: %w", err))
	}
	if size < 4 || size%4 != 0 {
		return usage(fmt.Errorf("--size %s: a tensor has a multiple of 4 bytes", f.size))
	}
	a := allReduceFlags{system: "switchml256", topo: "rack", workers: f.workers, iters: 5, warmup: 1, check: true}
	jobs, err := f.jobs(a, size)
	if err != nil {
		return usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	names, runs := make([]string, len(jobs)), make([][]bench.AllReduce, len(jobs))
	for range f.repeat {
		for i, j := range jobs {
			row, err := a.measureJob(ctx, j, size, false)
			if err != nil {
				return err
			}
			names[i], runs[i] = pipelineEngines[i].name, append(runs[i], row)
		}
	}
	return out.SetLive(names, runs)
}

// jobs lays the same work out over each engine.
func (f pipelineFlags) jobs(a allReduceFlags, size units.Bytes) (out []*job.Job, err error) {
	p, err := planOf(a.topo, gen.Params{Hosts: f.workers})
	if err != nil {
		return nil, err
	}
	for _, e := range pipelineEngines {
		j, err := a.jobOf(job.SwitchML{Elements: f.elements, Slots: benchWindow, Retransmit: true, Timeout: benchRetransmit, Pipe: e.pipe}, p, size)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}
