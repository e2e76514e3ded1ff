package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// modelSpeedups is SwitchML Fig 5 on real packets.
func modelSpeedups() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig5.live", Title: "training speed-up of SwitchML-256 over a ring over kernel TCP on real packets, four models",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.fig5.nccl-tcp-range"},
		Live:   true, Quick: "2 of 5 seconds of training each",
		Run: onLab(runModels),
	}
}

// trainedModel is a model trained with both systems.
type trainedModel struct {
	testbed.Profiled
	sml, ring       liveRun // of 4 workers: the latency of a ring's steps, which no scale divides, is to be little beside short iterations
	gotSML, gotRing ran
}

func newModels(e *experiment.Env) (out []trainedModel) {
	span := experiment.Cut(e, 5*units.Second, 2*units.Second)
	for _, name := range testbed.NetworkBound {
		p := testbed.ProfileOf(e, name, "100g", testbed.Gigabit100)
		profile := p.Profile
		profile.Compute = p.Compute
		run := func(what string, sys job.System) liveRun {
			return liveRun{
				name: name + ", " + what, sys: sys, topology: "rack", hosts: 4, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale,
				model: profile, batch: 1, iterations: max(4, int(span/p.Row.BatchTime)),
			}
		}
		sml := switchml.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe}
		out = append(out, trainedModel{Profiled: p, sml: run("SwitchML-256", sml), ring: run("ring over TCP", testbed.RingTCP)})
	}
	return out
}

// speedup is the ratio of mean iteration times.
func (m *trainedModel) speedup() float64 {
	return testbed.MeanIteration(&m.gotRing.Cell).Seconds() / testbed.MeanIteration(&m.gotSML.Cell).Seconds()
}

func runModels(ctx context.Context, l *lab) (experiment.Findings, error) {
	models := newModels(l.env)
	for i := range models {
		m := &models[i]
		got, err := l.right(ctx, m.sml, m.ring)
		if err != nil {
			return experiment.Findings{}, err
		}
		m.gotSML, m.gotRing = got[0], got[1]
	}
	slices.SortFunc(models, func(a, b trainedModel) int { return cmp.Compare(a.Row.Comm, b.Row.Comm) })
	lowest := models[0].speedup()
	var points []claims.Point
	for i := range models {
		lowest = min(lowest, models[i].speedup())
		points = append(points, claims.Point{X: float64(models[i].Row.Comm), Y: models[i].speedup()})
	}
	v := claims.Group(map[string]claims.Measured{"lowest": claims.Number(lowest), "by_share": claims.Series(points...)}).
		Noting("compute and communication one after the other")
	f := experiment.Findings{Tables: []claims.Table{modelTable(models)}}
	f.Set("switchml.fig5.nccl-tcp-range", l.say(v, slowScale, "4 workers, "+tcpOf()+"; compute times are those of Table 1"))
	return f, nil
}

func modelTable(models []trainedModel) claims.Table {
	t := claims.Table{
		ID: "switchml.fig5.live", Title: fmt.Sprintf("Mean iteration time of training, live, links of %v", testbed.Gigabit100/slowScale),
		Columns: []claims.Column{
			{Name: "model"}, {Name: "switch"}, {Name: "communication share", Unit: "%"}, {Name: "compute", Unit: "ms"},
			{Name: "SwitchML", Unit: "ms"}, {Name: "ring over TCP", Unit: "ms"}, {Name: "speed-up"}, {Name: "fidelity"},
		},
	}
	for i := range models {
		m := &models[i]
		t.Add(render.Text(m.Profile.Name), render.Text(m.gotSML.on), render.Percent(float64(m.Row.Comm)/100), render.Number(m.Compute.Milliseconds(), 1),
			render.Number(testbed.MeanIteration(&m.gotSML.Cell).Milliseconds(), 1), render.Number(testbed.MeanIteration(&m.gotRing.Cell).Milliseconds(), 1),
			render.Number(m.speedup(), 3), render.Text(m.gotSML.Cell.Fidelity.Verdict+", "+m.gotRing.Cell.Fidelity.Verdict))
	}
	return t
}
