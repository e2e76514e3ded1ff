package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo/gen"
)

func newBench() *cobra.Command {
	list := []*cobra.Command{newBenchAllReduce(), newBenchAggregator(), newBenchTopology(), newBenchLinks(), newBenchFidelity(), newBenchSim()}
	for _, s := range job.ChipBenches(systems()) {
		list = append(list, newBenchChip(s))
	}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine: all-reduce and aggregators on real packets, building topologies, links, trust in runs, simulating",
		RunE: func(*cobra.Command, []string) error {
			return usage(fmt.Errorf("which benchmark? %s", alternatives(list)))
		},
	}
	c.AddCommand(list...)
	return c
}

// alternatives lists commands as "a, b or c".
func alternatives(list []*cobra.Command) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// allReduceFlags take the letters of nccl-tests.
type allReduceFlags struct {
	tableFlags
	system, topo   string
	workers        int
	begin, end     string
	factor         int
	iters, warmup  int
	check          bool
	compare, plain bool
	repeat         int
}

func newBenchAllReduce() *cobra.Command {
	var f allReduceFlags
	c := &cobra.Command{
		Use:   "allreduce",
		Short: "All-reduce of int32 tensors between worker processes, links unshaped",
		Long: `Measures all-reduce on real packets: worker processes in namespaces of their own,
a software switch between them, links as fast as the machine is. The options are
those of nccl-tests; sizes are K, M, G (powers of 1024) or carry KB, MiB and so on.
The last iteration of every run is checked, element by element. With
--compare-offload the two paths take turns, run by run; of --repeat runs of each
the fastest counts, and the gain is the ratio of these two.`,
		Example: "  inalab bench allreduce --system " + benchDefault() + " --workers 4 -b 64M -e 64M --compare-offload",
		RunE:    func(c *cobra.Command, _ []string) error { return benchAllReduce(c, f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.system, "system", benchDefault(), strings.Join(benchNames(), ", "))
	flags.StringVarP(&f.topo, "topo", "t", "rack", "topology: "+strings.Join(gen.Names(), ", "))
	flags.IntVar(&f.workers, "workers", 4, "number of workers")
	flags.StringVarP(&f.begin, "minbytes", "b", "64M", "smallest size")
	flags.StringVarP(&f.end, "maxbytes", "e", "64M", "largest size")
	flags.IntVarP(&f.factor, "stepfactor", "f", 2, "from one size to the next")
	flags.IntVarP(&f.iters, "iters", "n", 5, "measured iterations")
	flags.IntVarP(&f.warmup, "warmup", "w", 1, "iterations before them")
	flags.BoolVarP(&f.check, "check", "c", true, "check the sums of the last iteration")
	flags.BoolVar(&f.compare, "compare-offload", false, "measure with and without segmentation offload, by turns")
	flags.BoolVar(&f.plain, "no-offload", false, "measure without segmentation offload")
	flags.IntVar(&f.repeat, "repeat", 1, "runs of each size and path; the best time counts")
	f.register(flags)
	return c
}

// sizes lists the tensors to measure.
func (f allReduceFlags) sizes() ([]units.Bytes, error) {
	begin, err := units.ParseBytes(f.begin)
	if err != nil {
		return nil, fmt.Errorf("-b: %w", err)
	}
	end, err := units.ParseBytes(f.end)
	if err != nil {
		return nil, fmt.Errorf("-e: %w", err)
	}
	switch {
	case begin < 4 || begin%4 != 0 || end < begin:
		return nil, fmt.Errorf("-b %s -e %s: sizes are multiples of 4 bytes, and the largest is not below the smallest", f.begin, f.end)
	case f.factor < 2:
		return nil, fmt.Errorf("-f %d: the factor is at least 2", f.factor)
	case f.iters < 1 || f.warmup < 0 || f.repeat < 1:
		return nil, fmt.Errorf("-n %d -w %d --repeat %d: iterations and repeats are at least 1, warm-up at least 0", f.iters, f.warmup, f.repeat)
	}
	var out []units.Bytes
	for s := begin; s <= end; s *= units.Bytes(f.factor) {
		out = append(out, s)
	}
	return out, nil
}

func benchAllReduce(c *cobra.Command, f allReduceFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	sizes, err := f.sizes()
	if err != nil {
		return usage(err)
	}
	if _, err := f.job(sizes[0]); err != nil {
		return usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	var rows []bench.AllReduce
	for _, size := range sizes {
		j, err := f.job(size)
		if err != nil {
			return err
		}
		best, err := f.alternate(f.paths(), func(plain bool) (bench.AllReduce, error) { return f.measure(c.Context(), j, plain) })
		if err != nil {
			return err
		}
		rows = append(rows, best...)
	}
	if f.compare {
		bench.CompareOffload(rows)
	}
	if err := bench.WriteAllReduce(c.OutOrStdout(), rows, o); err != nil {
		return err
	}
	return checkSums(rows, func(r bench.AllReduce) uint64 { return r.Wrong })
}

// paths lists whether to do without offload.
func (f allReduceFlags) paths() []bool {
	if f.compare {
		return []bool{false, true}
	}
	return []bool{f.plain}
}

func (f allReduceFlags) job(size units.Bytes) (*job.Job, error) {
	b, err := job.FindBench(benches(), f.system)
	if err != nil {
		return nil, err
	}
	return f.jobOf(b.System, size)
}

func (f allReduceFlags) jobOf(system job.System, size units.Bytes) (*job.Job, error) {
	if f.workers < 2 {
		return nil, fmt.Errorf("--workers %d: at least 2 are needed", f.workers)
	}
	servers := job.Servers(system, f.workers)
	p, err := planOf(f.topo, gen.Params{Hosts: f.workers + servers})
	if err != nil {
		return nil, err
	}
	return job.New(job.Spec{System: system, Plan: p, Scale: 1, Iterations: f.warmup + f.iters, Elements: int(size / 4), Servers: servers})
}

// alternate measures each path as often as --repeat says, and returns the best of
// each. The paths take turns: what else the machine does then meets both alike.
func (f allReduceFlags) alternate(paths []bool, measure func(plain bool) (bench.AllReduce, error)) ([]bench.AllReduce, error) {
	runs := make([][]bench.AllReduce, len(paths))
	for range f.repeat {
		for i, plain := range paths {
			row, err := measure(plain)
			if err != nil {
				return nil, err
			}
			runs[i] = append(runs[i], row)
		}
	}
	best := make([]bench.AllReduce, len(paths))
	for i := range paths {
		best[i] = bench.Best(runs[i])
	}
	return best, nil
}

// measure runs a job once.
func (f allReduceFlags) measure(ctx context.Context, j *job.Job, plain bool) (row bench.AllReduce, err error) {
	var m live.Measured
	err = live.WithLogs(ctx, "bench", func(logs string) (err error) {
		m, err = live.Bench(ctx, j, f.warmup, live.Options{Lab: netns.NewLabName(), Logs: logs, Plain: plain, Owner: journal.CurrentCaller()})
		return err
	})
	if err != nil {
		return row, err
	}
	measured := bench.Measurement{
		System: f.system, Workers: f.workers, Offload: !plain, Size: units.Bytes(4 * j.Elements), Count: int64(j.Elements), DType: "int32",
		Iters: f.iters, Elapsed: m.Elapsed, Packets: m.Packets, WireBytesPerLink: m.WireBytesPerLink, CPU: m.CPU,
	}
	if f.check {
		measured.Wrong, measured.Checked = m.Cell.Wrong, m.Cell.Checked
	}
	return bench.NewAllReduce(measured)
}

func newBenchTopology() *cobra.Command {
	var hosts, repeat int
	var f tableFlags
	c := &cobra.Command{
		Use:     "topology",
		Short:   "Time to build and remove the namespaces and links of a rack",
		Example: "  inalab bench topology --hosts 64",
		RunE:    func(c *cobra.Command, _ []string) error { return benchTopology(c, hosts, repeat, f) },
	}
	c.Flags().IntVar(&hosts, "hosts", 64, "number of hosts")
	c.Flags().IntVar(&repeat, "repeat", 5, "how often; medians are shown")
	f.register(c.Flags())
	return c
}

func benchTopology(c *cobra.Command, hosts, repeat int, f tableFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if repeat < 1 {
		return usage(fmt.Errorf("--repeat %d: at least 1 is needed", repeat))
	}
	if hosts < 1 {
		return usage(fmt.Errorf("--hosts %d: at least 1 is needed", hosts))
	}
	p, err := planOf("rack", gen.Params{Hosts: hosts})
	if err != nil {
		return usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return err
	}
	var up, down []float64
	for range repeat {
		u, d, err := live.Realise(c.Context(), netns.NewLabName(), p, netns.Options{})
		if err != nil {
			return err
		}
		up, down = append(up, u.Seconds()), append(down, d.Seconds())
	}
	row, err := bench.NewTopology(hosts, hosts+1, up, down)
	if err != nil {
		return err
	}
	return bench.WriteTopology(c.OutOrStdout(), row, o)
}
