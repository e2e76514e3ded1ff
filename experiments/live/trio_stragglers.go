package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// underStragglers is Fig 13 on real packets.
func underStragglers() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.live.stragglers", Title: "iteration time under stragglers on real packets: SwitchML-256 and Trio-ML, VGG11",
		Switch: []claims.Switch{claims.SwitchMicrocode, claims.SwitchReference},
		Claims: []claims.ID{"trio.live.straggler-speedup", "trio.fig13.trend.switchml-grows"},
		Live:   true, Quick: "p = 0, 8 and 16%, 16 of 40 iterations",
		Run: onLab(runStragglers),
	}
}

// stragglerRuns are SwitchML at each probability, and Trio-ML at the last. The
// model is VGG11: the timeout of 10 ms is to be a small part of an iteration. SwitchML is on the reference
// program: on the pipeline an iteration without stragglers takes a quarter longer here, on two processors,
// which would count for Trio-ML.
func stragglerRuns(e *experiment.Env) (runs []liveRun) {
	profile := testbed.Model(e, "vgg11")
	n := experiment.Cut(e, 40, 16)
	semantics := fault.Semantics(e.Reading("trio.straggle-semantics"))
	run := func(sys job.System, topology string, p float64) liveRun {
		return liveRun{
			name: fmt.Sprintf("%s, p=%g%%", sys.Name(), 100*p), sys: sys, topology: topology, hosts: 6, mtu: jumbo,
			rate: testbed.Gigabit100, scale: 200, model: profile, iterations: n, p: p, batch: 4,
			change: func(s *job.Spec) { s.Semantics = semantics },
		}
	}
	for _, p := range testbed.StraggleP(e) {
		runs = append(runs, run(testbed.SML256, "rack", p))
	}
	return append(runs, run(testbed.Trio(e), "mx480", testbed.LastP))
}

func runStragglers(ctx context.Context, l *lab) (experiment.Findings, error) {
	runs := stragglerRuns(l.env)
	got, err := l.right(ctx, runs...)
	if err != nil {
		return experiment.Findings{}, err
	}
	var cells []result.Cell
	var grows []claims.Point
	for i := range runs {
		c := &got[i].Cell
		cells = append(cells, *c)
		if c.System == testbed.SML256.Name() {
			grows = append(grows, claims.Point{X: c.StraggleP, Y: testbed.MeanIteration(c).Milliseconds()})
		}
	}
	rows := compare.Rows(cells, testbed.SML256.Baseline())
	trio, err := testbed.Row(rows, trioml.System{}.Name(), runs[0].model.Name, testbed.LastP)
	if err != nil {
		return experiment.Findings{}, err
	}
	calm := testbed.MeanIteration(&cells[0])
	speedup := claims.Group(map[string]claims.Measured{
		"speedup":     claims.Estimate(trio.Speedup.Value, trio.Speedup.Half, trio.Speedup.N),
		"timeout_pct": claims.Number(100 * program.DefaultTimeout.Seconds() / calm.Seconds()),
	})
	f := experiment.Findings{Tables: []claims.Table{stragglerTable(rows, got)}}
	const what = "VGG11, 6 workers; iteration without stragglers is that of SwitchML-256"
	f.Set("trio.live.straggler-speedup", l.say(speedup, runs[0].scale, what))
	f.Set("trio.fig13.trend.switchml-grows", l.say(claims.Series(grows...), runs[0].scale, "VGG11, 6 workers"))
	return f, nil
}

func stragglerTable(rows []compare.Row, got []ran) claims.Table {
	t := claims.Table{
		ID: "trio.live.stragglers", Title: "Mean iteration time by straggling probability, live",
		Columns: []claims.Column{
			{Name: "system"}, {Name: "switch"}, {Name: "p", Unit: "%"}, {Name: "iteration", Unit: "ms"}, {Name: "expected", Unit: "ms"},
			{Name: "speed-up over SwitchML"}, {Name: "degraded blocks"}, {Name: "fidelity"},
		},
		Notes: []string{"Expected is what the schedule, nominal compute and link rate allow: for Trio-ML at most."},
	}
	for i := range rows {
		r, c := &rows[i], &got[i].Cell
		t.Add(render.Text(r.System), render.Text(got[i].on), render.Percent(r.StraggleP), testbed.Estimate(r.Iter.Value, r.Iter.Half, r.Iter.Bounded(), 1),
			render.Number(c.Expected.Milliseconds(), 1), testbed.Estimate(r.Speedup.Value, r.Speedup.Half, r.Speedup.Bounded(), 2),
			render.Optional(r.DegradedBlocks, render.Int), render.Text(c.Fidelity.Verdict))
	}
	return t
}
