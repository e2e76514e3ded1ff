package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

type simFlags struct {
	tableFlags
	systems []string
	workers []int
	size    string
	iters   int
	repeat  int
	quick   bool
}

func newBenchSim() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use:   "sim",
		Short: "Events and packets that the virtual clock simulates in a second",
		Long: `Measures how fast this machine simulates: all-reduces in a rack with links of
100 Gbit/s under the virtual clock, with packets that carry every value,
and with packets that carry lengths only. The tensors of all workers together have
the same size whatever their number, so that the memory that is walked through is
the same, too; where packets carry lengths only, which takes little memory, they are
eight times as large, and the all-reduces eight times fewer. The rows take turns, so
that what else the machine does meets all of them alike; medians are shown. It needs
no privileges.`,
		Example: "  inalab bench sim --quick\n" +
			"  inalab bench sim --system " + job.Baseline(systems()).System + " --workers 8,64 --format json",
		RunE: func(c *cobra.Command, _ []string) error { return benchSim(c, f) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.systems, "system", simDefault(), "systems: "+strings.Join(job.Names(systems()), ", "))
	flags.IntSliceVar(&f.workers, "workers", []int{8, 64}, "numbers of workers")
	flags.StringVar(&f.size, "size", "4M", "of the tensors of all workers together, in whole MiB")
	flags.IntVar(&f.iters, "iters", 100, "all-reduces of a run")
	flags.IntVar(&f.repeat, "repeat", 5, "runs of each row")
	flags.BoolVar(&f.quick, "quick", false, "a tenth of the all-reduces, and at most three runs of each row")
	f.register(flags)
	return c
}

// simDefault lists the systems that are measured where none is named.
func simDefault() (out []string) {
	for _, b := range benches() {
		if b.Sim {
			out = append(out, b.System.Name())
		}
	}
	return out
}

// systemName returns the name of a system that may be given by its second one.
func systemName(name string) string {
	for _, b := range benches() {
		if name != "" && name == b.Alias {
			return b.System.Name()
		}
	}
	return name
}

// simRow is one row to measure.
type simRow struct {
	system  string
	workers int
	carries string
	job     *job.Job
}

func benchSim(c *cobra.Command, f simFlags) error {
	o, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	if f.quick {
		f.iters, f.repeat = max(1, f.iters/10), min(f.repeat, 3)
	}
	rows, err := f.rows()
	if err != nil {
		return usage(err)
	}
	measured, err := measureSim(c.Context(), rows, f.repeat)
	if err != nil {
		return err
	}
	table, err := bench.NewSim(measured)
	if err != nil {
		return err
	}
	if err := bench.WriteSim(c.OutOrStdout(), table, o); err != nil {
		return err
	}
	return checkSums(table, func(r bench.Sim) uint64 { return r.Wrong })
}

// rows lists what to measure: of each system first what carries payload.
func (f simFlags) rows() (rows []simRow, err error) {
	size, err := units.ParseBytes(f.size)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--size: %w", err)
	case size < units.MiB || size%units.MiB != 0 || size > units.GiB:
		return nil, fmt.Errorf("--size %s: it is 1M to 1G, in whole MiB", f.size)
	case f.iters < 1 || f.repeat < 1:
		return nil, fmt.Errorf("--iters %d --repeat %d: both are at least 1", f.iters, f.repeat)
	case len(f.systems) == 0 || len(f.workers) == 0:
		return nil, fmt.Errorf("--system and --workers: at least one of each is needed")
	}
	for _, system := range f.systems {
		for _, carries := range []string{bench.Payload, bench.Lengths} {
			for _, n := range f.workers {
				row := simRow{system: systemName(system), workers: n, carries: carries}
				if row.job, err = f.job(row, size); err != nil {
					return nil, err
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// simLink is at the rate of the papers' testbeds, with the delay of 20 m of cable.
var simLink = topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: 100 * units.Nanosecond}

// simSampled is the share of blocks that carry values where the others carry
// unstored values: one in so many.
const simSampled = 1024

// simLarger is how many times as large tensors are, and how many times fewer
// all-reduces, where packets carry unstored values: that needs little memory, and
// what a worker does once for each all-reduce stays small beside its packets.
const simLarger = 8

// simCompute is the nominal compute of a replay, which has to take some time.
const simCompute = units.Microsecond

// job returns the job of a row: a benchmark where packets carry payload, and a
// replay of the same tensor, of which no round is charged, where they carry
// lengths.
func (f simFlags) job(row simRow, size units.Bytes) (*job.Job, error) {
	p, err := planOf("rack", gen.Params{Hosts: row.workers, Link: simLink})
	if err != nil {
		return nil, err
	}
	system, err := job.Find(systems(), row.system)
	if err != nil {
		return nil, err
	}
	spec := job.Spec{System: system, Plan: p, Scale: 1, Iterations: f.iters, Seed: 1, Virtual: true}
	if row.carries == bench.Payload {
		spec.Elements = int(size) / 4 / row.workers
		return job.New(spec)
	}
	spec.Iterations = max(1, f.iters/simLarger)
	spec.Model = profiles.Profile{Name: "bench", SizeMiB: simLarger * int(size/units.MiB), Compute: simCompute}
	spec.System, spec.Scale = job.FullWindow(system, row.workers), row.workers
	spec.Replay, spec.Exact, spec.Sample = true, true, gradient.Sampling{Every: simSampled}
	return job.New(spec)
}

// measureSim runs every row as often as asked, the rows by turns.
func measureSim(ctx context.Context, rows []simRow, repeat int) ([]bench.SimMeasurement, error) {
	out := make([]bench.SimMeasurement, len(rows))
	for range repeat {
		for i, row := range rows {
			cell, wall, err := timeSim(ctx, row.job)
			if err != nil {
				return nil, err
			}
			m := &out[i]
			m.System, m.Workers, m.Carries = row.system, row.workers, row.carries
			m.LinkEvents, m.Packets, m.QueueEvents = cell.Work.Frames, cell.Work.Packets, cell.Work.Events
			m.Wall = append(m.Wall, wall.Seconds())
			m.Wrong, m.Checked = m.Wrong+cell.Wrong, m.Checked+cell.Checked
		}
	}
	return out, nil
}

// timeSim runs a job once. Garbage of the run before is collected first.
func timeSim(ctx context.Context, j *job.Job) (result.Cell, time.Duration, error) {
	var watch stopwatch
	var known sim.Patterns
	runtime.GC()
	cell, err := known.RunJob(ctx, j, worker.Images{}, sim.Observer{Watch: &watch})
	return cell, watch.sum, err
}

// stopwatch sums up wall time. It is a [sim.Stopwatch].
type stopwatch struct {
	since time.Time
	sum   time.Duration
}

func (w *stopwatch) Start() { w.since = time.Now() }
func (w *stopwatch) Stop()  { w.sum += time.Since(w.since) }
