package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// modelSpeedups is SwitchML Fig 5 on real packets.
func modelSpeedups() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig5.live", Title: "training speed-up of SwitchML-256 over a ring over kernel TCP on real packets, four models",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.fig5.nccl-tcp-range"},
		Live:   true, Quick: "6 of 9 rounds",
		Run: onLab(runModels),
	}
}

// trainedModel is a model trained with both systems, of 4 workers: the latency of a ring's steps, which no scale divides, is to be little
// beside short iterations.
type trainedModel struct {
	testbed.Profiled
	sml, ring int       // runs of the rounds
	ratios    []float64 // of mean iteration times, by round
}

// newModels has both systems train each model, in rounds, each for a second and 4 iterations at least.
func newModels(e *experiment.Env) (x rounds, models []trainedModel) {
	x.n = experiment.Cut(e, 9, 6)
	for _, name := range testbed.NetworkBound {
		p := testbed.ProfileOf(e, name, "100g", testbed.Gigabit100)
		profile := p.Profile
		profile.Compute = p.Compute
		run := func(what string, sys job.System) int {
			x.runs = append(x.runs, liveRun{
				name: name + ", " + what, sys: sys, topology: "rack", hosts: 4, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale,
				model: profile, batch: 1, iterations: max(4, int(units.Second/p.Row.BatchTime)),
			})
			return len(x.runs) - 1
		}
		sml := switchml.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe}
		models = append(models, trainedModel{Profiled: p, sml: run("SwitchML-256", sml), ring: run("ring over TCP", testbed.RingTCP)})
	}
	slices.SortFunc(models, func(a, b trainedModel) int { return cmp.Compare(a.Row.Comm, b.Row.Comm) })
	return x, models
}

// iteration is the mean time of one, in a round.
func (x *rounds) iteration(run, round int) units.Duration {
	return testbed.MeanIteration(&x.got[run][round].Cell)
}

// speedup is the median ratio of a round.
func (m *trainedModel) speedup() float64 {
	v, _ := stat.Median(m.ratios)
	return v
}

// alike reports whether the rounds do not tell which of two models gains more.
func (m *trainedModel) alike(other *trainedModel) bool {
	more := make([]float64, len(m.ratios))
	for round := range more {
		more[round] = m.ratios[round] / other.ratios[round]
	}
	low, high := stat.MedianInterval(more)
	return low <= 1 && high >= 1
}

func runModels(ctx context.Context, l *lab) (experiment.Findings, error) {
	x, models := newModels(l.env)
	if err := x.carryOut(ctx, l); err != nil {
		return experiment.Findings{}, err
	}
	for i := range models {
		m := &models[i]
		for round := range x.n {
			m.ratios = append(m.ratios, x.iteration(m.ring, round).Seconds()/x.iteration(m.sml, round).Seconds())
		}
	}
	f := experiment.Findings{Tables: []claims.Table{modelTable(&x, models)}}
	f.Set("switchml.fig5.nccl-tcp-range", l.say(byShare(models), slowScale, "4 workers, "+tcpOf()+"; compute times are those of Table 1"))
	return f, nil
}

// byShare is the speed-ups by share of communication. Where neighbours cannot be told apart, either may be the higher one.
func byShare(models []trainedModel) claims.Measured {
	gains, same, names := make([]float64, len(models)), make([]bool, len(models)), []string{}
	for i := range models {
		if gains[i] = models[i].speedup(); i > 0 && models[i].alike(&models[i-1]) {
			same[i-1], names = true, append(names, models[i-1].Profile.Name+" and "+models[i].Profile.Name)
		}
	}
	group := func(gains []float64) claims.Measured {
		var points []claims.Point
		for i := range models {
			points = append(points, claims.Point{X: float64(models[i].Row.Comm), Y: gains[i]})
		}
		return claims.Group(map[string]claims.Measured{"lowest": claims.Number(slices.Min(gains)), "by_share": claims.Series(points...)})
	}
	v := group(gains).Noting("compute and communication one after the other")
	if len(names) == 0 {
		return v
	}
	falling := reordered(gains, same, func(a, b float64) bool { return a >= b })
	rising := reordered(gains, same, func(a, b float64) bool { return a <= b })
	return v.UndecidedBetween([]claims.Measured{group(falling), group(rising)}, "%d rounds do not tell which of %s gains more", len(models[0].ratios), strings.Join(names, ", or of "))
}

func modelTable(x *rounds, models []trainedModel) claims.Table {
	t := claims.Table{
		ID: "switchml.fig5.live", Title: fmt.Sprintf("Mean iteration time of training, live, links of %v; medians of %d rounds in turns", testbed.Gigabit100/slowScale, x.n),
		Columns: []claims.Column{
			{Name: "model"}, {Name: "switch"}, {Name: "communication share", Unit: "%"}, {Name: "compute", Unit: "ms"},
			{Name: "SwitchML", Unit: "ms"}, {Name: "ring over TCP", Unit: "ms"}, {Name: "speed-up"}, {Name: "from"}, {Name: "to"}, {Name: "fidelity"},
		},
		Notes: []string{"From and to hold the median speed-up of a round with 95%."},
	}
	for i := range models {
		m := &models[i]
		took := func(run int) render.Cell {
			return render.Number(1e3*x.median(func(round int) float64 { return x.iteration(run, round).Seconds() }), 1)
		}
		low, high := stat.MedianInterval(m.ratios)
		t.Add(render.Text(m.Profile.Name), render.Text(x.got[m.sml][0].on), render.Percent(float64(m.Row.Comm)/100), render.Number(m.Compute.Milliseconds(), 1),
			took(m.sml), took(m.ring), render.Number(m.speedup(), 3), render.Number(low, 3), render.Number(high, 3), render.Text(x.verdicts(m.sml)+"; "+x.verdicts(m.ring)))
	}
	return t
}
