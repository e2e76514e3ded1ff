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
)

// trioPool is Trio §6.2: a larger pool does not help SwitchML against stragglers.
func trioPool() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.s6.2.pool-no-help", Title: "SwitchML-256 with stragglers at p=16%, by the size of the pool",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"trio.s6.2.pool-no-help"},
		Quick:  fmt.Sprintf("%d of 100 iterations, pools of 512 and 8192", quickPoolIterations),
		Run:    runTrioPool,
	}
}

// quickPoolIterations are few, since rounds with stragglers are simulated anew for
// each pool.
const quickPoolIterations = 6

func runTrioPool(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	sizes := experiment.Cut(e, []int{512, 1024, 2048, 4096, 8192}, []int{512, 8192})
	s := sweep{env: e, iterations: experiment.Cut(e, iterations(e), quickPoolIterations)}
	var jobs []*job.Job
	for _, slots := range sizes {
		rack := network{topology: "rack", hosts: 6, rate: testbed.Gigabit100, queue: portQueue}
		j, err := s.job(switchml.System{Elements: 256, Slots: slots, Pipe: testbed.TimedPipe(e)}, rack, "resnet50", testbed.LastP)
		if err != nil {
			return experiment.Findings{}, err
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return experiment.Findings{}, err
	}
	t := claims.Table{
		ID: "trio.s6.2.pool-no-help", Title: "Mean iteration time of ResNet-50 on SwitchML-256 at p=16% by pool, one schedule of delays",
		Columns: []claims.Column{{Name: "slots"}, {Name: "switch"}, {Name: "iteration", Unit: "ms"}, {Name: "against 512 slots", Unit: "%"}},
	}
	var first, worst float64
	for i := range cells {
		ran, err := testbed.RanOn(jobs[i].System, &cells[i])
		if err != nil {
			return experiment.Findings{}, err
		}
		var end units.Time
		for _, s := range cells[i].Samples {
			end = max(end, s.End)
		}
		mean := units.Duration(end).Milliseconds() / float64(cells[i].Iterations)
		if i == 0 {
			first = mean
		}
		off := 100 * (mean/first - 1)
		worst = max(worst, off, -off)
		t.Add(render.Int(sizes[i]), render.Text(ran), render.Number(mean, 3), render.Percent(mean/first))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("trio.s6.2.pool-no-help", claims.Number(worst).On("SwitchML-256 on DPDK hosts, 6 workers, ResNet-50"))
	return f, nil
}

// trioPacketSizes is Trio §6.1: packets of 256 values beat those of 64.
func trioPacketSizes() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.s6.1.sml256-beats-64", Title: "SwitchML with 256 and with 64 values a packet, 6 workers at 100 Gbit/s",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"trio.s6.1.sml256-beats-64"},
		Quick:  fmt.Sprintf("2 workers and a tensor of 24 MiB in place of 6 and %d", tensorMiB),
		Run:    runTrioPacketSizes,
	}
}

func runTrioPacketSizes(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	n, mib := experiment.Cut(e, 6, 2), experiment.Cut(e, tensorMiB, 24)
	calls := []call{
		call{name: "SwitchML-64", sys: testbed.SML64, workers: n, rate: testbed.Gigabit100, mib: mib}.onDPDK(e).onChip(e),
		call{name: "SwitchML-256", sys: testbed.SML256, workers: n, rate: testbed.Gigabit100, mib: mib}.onDPDK(e).onChip(e),
	}
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return experiment.Findings{}, err
	}
	t := claims.Table{
		ID: "trio.s6.1.sml256-beats-64", Title: fmt.Sprintf("Payload throughput, DPDK hosts, %d workers, tensor of %d MiB", n, mib),
		Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "time", Unit: "ms"}, {Name: "payload", Unit: "Gbit/s"}},
	}
	for i := range calls {
		t.Add(render.Text(calls[i].name), render.Text(calls[i].ran), render.Number(times[i].Milliseconds(), 3), render.Number(32e-9*calls[i].rateOf(times[i]), 2))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("trio.s6.1.sml256-beats-64", claims.Number(times[0].Seconds()/times[1].Seconds()).On("DPDK hosts: a cost a packet and a cost a byte"))
	return f, nil
}
