package virtual

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// fig4 is SwitchML Figs 4 and 5: what the aggregation of DPDK hosts makes of
// training at 100 Gbit/s against NCCL's rings.
func fig4() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig4", Title: "training speed-up of SwitchML-256 on DPDK hosts over rings over RDMA and TCP, 100 Gbit/s",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{
			"switchml.fig4.max-rdma", "switchml.fig4.faster-gpu", "switchml.fig4.not-bound",
			"switchml.fig5.nccl-rdma-range", "switchml.abs.5.5x",
		},
		Quick: quickLines,
		Run:   runFig4,
	}
}

// gpus are how much faster than a P100 the GPUs of Fig 4 are.
var gpus = []float64{1, 10}

// replayed is a replay of all models at 100 Gbit/s.
type replayed struct {
	rows  []testbed.Profiled
	start units.Duration
	rdma  map[int]against // by workers
	tcp   map[int]against
}

func newReplayed(ctx context.Context, e *experiment.Env) (*replayed, error) {
	r := &replayed{start: units.Microsecond.Scale(e.Constants.Get("tensor.start")), rdma: map[int]against{}, tcp: map[int]against{}}
	for _, m := range switchmlModels {
		r.rows = append(r.rows, testbed.ProfileOf(e, m, "100g", testbed.Gigabit100))
	}
	workers := []int{8, 16} // of Figs 4 and 5
	var calls []call
	for _, n := range workers {
		calls = append(calls,
			call{name: "SwitchML-256, DPDK", sys: testbed.SML256, workers: n, rate: testbed.Gigabit100}.onDPDK(e).onChip(e),
			call{name: "ring, RDMA", sys: ringRoCE, host: e.Constants.RDMA(), workers: n, rate: testbed.Gigabit100}.onChip(e),
			call{name: "ring, TCP", sys: testbed.RingTCP, host: e.Constants.TCP(), workers: n, rate: testbed.Gigabit100}.onChip(e))
	}
	at, err := lines(ctx, e, calls)
	if err != nil {
		return nil, err
	}
	for i, n := range workers {
		r.rdma[n], r.tcp[n] = against{at[3*i], at[3*i+1]}, against{at[3*i], at[3*i+2]}
	}
	return r, nil
}

// speedup of a model against one of the rings.
func (r *replayed) speedup(p *testbed.Profiled, a against, gpu float64) float64 {
	return a.speedup(traceOf(p, testbed.Goodput(testbed.Gigabit100), true), gpu, r.start)
}

func runFig4(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	r, err := newReplayed(ctx, e)
	if err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{r.table()}}
	model := "simulated calls of SwitchML-256 on DPDK hosts and the emulated Tofino with its time, of rings over RoCE on RDMA hosts and over NewReno on kernel TCP hosts; " + replayModel
	top, faster, bound := 0.0, map[string]claims.Measured{}, map[string]claims.Measured{}
	for i := range r.rows {
		p := &r.rows[i]
		var points []claims.Point
		for _, gpu := range gpus {
			points = append(points, claims.Point{X: gpu, Y: r.speedup(p, r.rdma[8], gpu)})
			top = max(top, points[len(points)-1].Y)
		}
		switch p.Profile.Name {
		case "vgg19", "bert", "lstm", "ncf", "ugatit":
			faster[p.Profile.Name] = claims.Series(points...)
		}
		switch p.Profile.Name {
		case "ugatit", "ssd", "resnet50":
			bound[p.Profile.Name] = claims.Number(points[0].Y)
		}
	}
	f.Set("switchml.fig4.max-rdma", claims.Number(top).On(model).
		Noting("calls of 100 MB alone, without compute, with 8 workers: %.3g times as long on the ring", r.rdma[8].alone()))
	f.Set("switchml.fig4.faster-gpu", claims.Group(faster).On(model))
	f.Set("switchml.fig4.not-bound", claims.Group(bound).On(model))
	low, high, _ := r.fig5(r.rdma[16])
	f.Set("switchml.fig5.nccl-rdma-range", claims.NumberParts(map[string]float64{"lowest": low, "highest": high}).On(model).
		Noting("calls of 100 MB alone, without compute, with 16 workers: %.3g times as long on the ring", r.rdma[16].alone()))
	low, _, deeplight := r.fig5(r.tcp[16])
	f.Set("switchml.abs.5.5x", claims.NumberParts(map[string]float64{"deeplight": deeplight, "lowest": low}).On(model))
	return f, nil
}

// fig5 returns the least and the greatest speed-up of the models of Fig 5, and
// that of DeepLight.
func (r *replayed) fig5(a against) (low, high, deeplight float64) {
	low = math.Inf(1)
	for i := range r.rows {
		p := &r.rows[i]
		if !slices.Contains(testbed.NetworkBound, p.Profile.Name) {
			continue
		}
		s := r.speedup(p, a, 1)
		low, high = min(low, s), max(high, s)
		if p.Profile.Name == "deeplight" {
			deeplight = s
		}
	}
	return low, high, deeplight
}

func (r *replayed) table() claims.Table {
	t := claims.Table{
		ID: "switchml.fig4", Title: "Training speed-up of SwitchML-256 (DPDK) at 100 Gbit/s",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "switch"}, {Name: "workers"}, {Name: "GPU"}, {Name: "iteration", Unit: "ms"}, {Name: "over ring, RDMA"}, {Name: "over ring, TCP"},
		},
		Notes: []string{
			replayModel + ".",
			switchNote,
			fmt.Sprintf("A call takes %v of the framework beside what is simulated. Loading of data is left out.", r.start),
		},
	}
	for i := range r.rows {
		p := &r.rows[i]
		for _, n := range []int{8, 16} {
			for _, gpu := range gpus {
				ina := r.rdma[n].ina
				when := traceOf(p, testbed.Goodput(testbed.Gigabit100), true).Replay(gpu, func(b units.Bytes) units.Duration { return r.start + ina.cost(b) })
				t.Add(render.Text(p.Profile.Name), render.Text(ina.ran), render.Int(n), render.Text(fmt.Sprintf("%g x P100", gpu)), render.Number(when.Iteration.Milliseconds(), 1),
					render.Number(r.speedup(p, r.rdma[n], gpu), 3), render.Number(r.speedup(p, r.tcp[n], gpu), 3))
			}
		}
	}
	return t
}
