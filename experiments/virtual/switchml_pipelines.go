package virtual

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// singlePipeline is Trio §6.1: workers on one pipeline against workers on several.
func singlePipeline() experiment.Experiment {
	const id = "trio.s6.1.single-pipeline-best"
	return experiment.Experiment{
		ID: id, Title: "SwitchML-64 with 6 workers on one pipeline, and on two or three below another",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{id},
		Quick:  "an eighth of the tensor",
		Run:    runPipelines,
	}
}

// pipelineWorkers are those of the Trio paper's testbed.
const pipelineWorkers = 6

// onPipelines lays workers out on so many pipelines. Each is a switch of its own
// (SwitchML §7), and one more adds what they have, reached by a port in loopback mode: a
// link of a port's rate without length.
func onPipelines(e *experiment.Env, pipelines, pool, elements int) (*job.Job, error) {
	link := topo.LinkSpec{Rate: testbed.Gigabit100, Delay: units.Microsecond.Scale(e.Constants.Get("link.delay")), Queue: portQueue}
	var g *topo.Graph
	var err error
	if pipelines == 1 {
		g, err = gen.Rack(gen.RackParams{Hosts: pipelineWorkers, Link: link, MTU: testbed.MTU})
	} else {
		back := topo.LinkSpec{Rate: testbed.Gigabit100, Queue: portQueue}
		g, err = gen.LeafSpine(gen.LeafSpineParams{Leaves: pipelines, Spines: 1, HostsPerLeaf: pipelineWorkers / pipelines, Link: link, Uplink: back, MTU: testbed.MTU})
	}
	if err != nil {
		return nil, err
	}
	p, err := plan.New(g)
	if err != nil {
		return nil, err
	}
	return job.New(job.Spec{
		System: switchml.System{Elements: 64, Slots: pool, Pipe: testbed.TimedPipe(e)}, Plan: p, Scale: 1, Iterations: 1, Seed: e.Seed, Virtual: true, Elements: elements,
	})
}

func runPipelines(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	elements := experiment.Cut(e, 1<<20, 1<<17)
	t := claims.Table{
		ID: "trio.s6.1.single-pipeline-best", Title: fmt.Sprintf("Elements aggregated a second by %d workers at 100 Gbit/s, SwitchML-64, tensor of %d int32", pipelineWorkers, elements),
		Columns: []claims.Column{{Name: "pool"}, {Name: "pipelines with workers"}, {Name: "switch"}, {Name: "time", Unit: "us"}, {Name: "elements", Unit: "1e9/s"}},
		Notes:   []string{"With several, each sends its sum on to one more, by a port of 100 Gbit/s. Where the pool covers the longer way, what is lost is one round trip of a tensor."},
	}
	rates := map[string]float64{}
	for _, pool := range []int{64, switchml.DefaultSlots} {
		for _, n := range []int{1, 2, 3} {
			j, err := onPipelines(e, n, pool, elements)
			if err != nil {
				return f, err
			}
			cells, err := runJobs(ctx, j)
			if err != nil {
				return f, fmt.Errorf("%d pipelines: %w", n, err)
			}
			ran, err := testbed.RanOn(j.System, &cells[0])
			if err != nil {
				return f, err
			}
			took := testbed.Took(cells[0].Samples, 0)
			rate := float64(elements) / took.Seconds() / 1e9
			t.Add(render.Int(pool), render.Int(n), render.Text(ran), render.Number(took.Seconds()*1e6, 2), render.Number(rate, 3))
			switch {
			case pool != switchml.DefaultSlots:
			case n == 1:
				rates["single_pipeline"] = rate
			default:
				rates["multi_pipeline"] = max(rates["multi_pipeline"], rate)
			}
		}
	}
	f.Tables = []claims.Table{t}
	m := claims.Ranking(rates)
	f.Set("trio.s6.1.single-pipeline-best", m.On(fmt.Sprintf("emulated pipelines with time, pool of %d; several pipelines are levels of the hierarchy of SwitchML §7, the better of two and three", switchml.DefaultSlots)))
	return f, nil
}
