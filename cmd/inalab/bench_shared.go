package main

import (
	"cmp"
	"errors"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
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

// checkSums returns the error of a benchmark in which some sums were wrong.
func checkSums[Row any](rows []Row, wrong func(Row) uint64) error {
	if slices.ContainsFunc(rows, func(r Row) bool { return wrong(r) > 0 }) {
		return failed(errors.New("some sums were wrong"))
	}
	return nil
}
