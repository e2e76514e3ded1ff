package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/bench"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// benchLimits are those of every system that is measured.
var benchLimits = job.BenchLimits{Window: benchWindow, Timeout: benchRetransmit}

// benchRetransmit is well above the time that a full window takes on the slow
// path, 10 ms and more: the public client's timeout would send everything twice.
const benchRetransmit = 200 * units.Millisecond

// benchWindow is the pool and window of a benchmark, in packets of about 1 KiB:
// enough to fill trains of the largest size, not so much that rings overflow.
const benchWindow = 512

// benches lists the systems that reduce int32 tensors, set up so that nothing but the
// machine limits them.
func benches() []job.Bench { return job.Benches(systems(), benchLimits) }

// benchNames lists the names on the command line, the short ones, with their notes.
func benchNames() (out []string) {
	for _, b := range benches() {
		name := cmp.Or(b.Alias, b.Name)
		if b.Note != "" {
			name += " (" + b.Note + ")"
		}
		out = append(out, name)
	}
	return out
}

// benchDefault is the short name of what tables compare with.
func benchDefault() string {
	b, _ := job.FindBench(benches(), job.Baseline(systems()).System)
	return cmp.Or(b.Alias, b.Name)
}

// planOf lays out the topology of a benchmark.
func planOf(topology string, params gen.Params) (*plan.Plan, error) {
	g, err := gen.ByName(topology, params)
	if err != nil {
		return nil, err
	}
	return plan.New(g)
}

// contender is one of several systems that are held against each other.
type contender struct {
	name   string
	system job.System
}

// byTurns runs the same work on real packets on each contender, by turns, and
// returns their names and runs.
func (f allReduceFlags) byTurns(ctx context.Context, list []contender, size string, repeat int) (names []string, runs [][]bench.AllReduce, err error) {
	bytes, err := units.ParseBytes(size)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--size: %w", err))
	}
	if bytes < 4 || bytes%4 != 0 {
		return nil, nil, usage(fmt.Errorf("--size %s: a tensor has a multiple of 4 bytes", size))
	}
	jobs, err := f.jobsOf(list, bytes)
	if err != nil {
		return nil, nil, usage(err)
	}
	if err := enterNamespaces(); err != nil {
		return nil, nil, err
	}
	names, runs = make([]string, len(jobs)), make([][]bench.AllReduce, len(jobs))
	for range repeat {
		for i, j := range jobs {
			row, err := f.measureJob(ctx, j, bytes, false)
			if err != nil {
				return nil, nil, err
			}
			names[i], runs[i] = list[i].name, append(runs[i], row)
		}
	}
	return names, runs, nil
}

// jobsOf lays the same work out over each contender.
func (f allReduceFlags) jobsOf(list []contender, size units.Bytes) (out []*job.Job, err error) {
	p, err := planOf(f.topo, gen.Params{Hosts: f.workers})
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		j, err := f.jobOf(c.system, p, size)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// checkSums returns the error of a benchmark in which some sums were wrong.
func checkSums[Row any](rows []Row, wrong func(Row) uint64) error {
	if slices.ContainsFunc(rows, func(r Row) bool { return wrong(r) > 0 }) {
		return failed(errors.New("some sums were wrong"))
	}
	return nil
}
