package scenarios

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// RunsOn returns the generated topologies on which a system runs, with some number of workers.
func RunsOn(sys job.System) (out []string) {
	for _, g := range gen.All() {
		if slices.ContainsFunc([]int{4, 6, 8}, func(workers int) bool { return runsOn(sys, &g, workers) }) {
			out = append(out, g.Name)
		}
	}
	return out
}

// runsOn lays a small job out on two switches, or two levels of two.
func runsOn(sys job.System, g *gen.Generator, workers int) bool {
	servers := job.Servers(sys, workers)
	link := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
	p := gen.Params{Hosts: workers + servers, Link: link, Uplink: link, Fabric: link}
	for _, need := range []struct {
		name string
		n    *int
	}{{"racks", &p.Racks}, {"depth", &p.Depth}, {"fan-out", &p.FanOut}} {
		if slices.Contains(g.Needs, need.name) {
			*need.n = 2
		}
	}
	graph, err := gen.ByName(g.Name, p)
	if err != nil {
		return false
	}
	pl, err := plan.New(graph)
	if err != nil {
		return false
	}
	model := profiles.All()[0]
	_, err = job.New(job.Spec{System: sys, Plan: pl, Model: model, Scale: 1000, Iterations: 1, Seed: 1, Servers: servers, Virtual: true})
	return err == nil
}
