package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// table2Rows are the rows of Table 2 that print a speed-up, "10g" each but for
// those that are network-bound at 100 Gbit/s, too.
var table2Rows = map[string][]string{
	"deeplight": {"10g", "100g"}, "lstm": {"10g", "100g"}, "ncf": {"10g", "100g"}, "bert": {"10g", "100g"},
	"vgg19": {"10g"}, "ugatit": {"10g"}, "resnet50": {"10g"}, "ssd": {"10g"},
}

// table2 is the column INA of SwitchML Table 2.
func table2() experiment.Experiment {
	x := experiment.Experiment{
		ID: "switchml.tab2", Title: "batch speed-up of in-network aggregation over an ideal ring, hosts that cost nothing",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s3.ina-max-10g", "switchml.s3.ina-max-100g"},
		Quick:  quickLines,
		Run:    runTable2,
	}
	for _, m := range switchmlModels {
		for _, l := range table2Rows[m] {
			x.Claims = append(x.Claims, tab2(m, l))
		}
	}
	return x
}

func tab2(model, link string) claims.ID {
	return claims.ID(fmt.Sprintf("switchml.tab2.%s.%s.ina", model, link))
}

// replayModel says how iterations are replayed.
const replayModel = "assumed layer trace in the toolkit's buckets, held to the overlap that Table 1 prints; compute time from Table 1"

// against is a pair of systems: what calls of each take.
type against struct{ ina, other line }

// speedup returns how much shorter an iteration is on the first of the pair, on a
// GPU so many times faster, each call started by the framework in so long.
func (a against) speedup(t profiles.Trace, gpu float64, start units.Duration) float64 {
	cost := func(l line) profiles.Cost {
		return func(n units.Bytes) units.Duration { return start + l.cost(n) }
	}
	return t.Replay(gpu, cost(a.other)).Iteration.Seconds() / t.Replay(gpu, cost(a.ina)).Iteration.Seconds()
}

// alone returns how many times as long the other takes for a call of 100 MB without compute.
func (a against) alone() float64 {
	const call = 100_000_000
	return a.other.cost(call).Seconds() / a.ina.cost(call).Seconds()
}

// idealPairs simulates SwitchML-256 and a ring over RoCE on hosts that cost
// nothing, for each number of workers and link rate.
func idealPairs(ctx context.Context, e *experiment.Env, workers []int) (map[int]map[string]against, error) {
	var calls []call
	for _, n := range workers {
		for _, l := range testbed.LinkRates {
			calls = append(calls,
				call{name: "SwitchML-256", sys: testbed.SML256, workers: n, rate: l.Rate}.onChip(e),
				call{name: "ring over RoCE", sys: ringRoCE, workers: n, rate: l.Rate}.onChip(e))
		}
	}
	at, err := lines(ctx, e, calls)
	if err != nil {
		return nil, err
	}
	out := map[int]map[string]against{}
	for _, n := range workers {
		out[n] = map[string]against{}
		for _, l := range testbed.LinkRates {
			out[n][l.Name] = against{at[0], at[1]}
			at = at[2:]
		}
	}
	return out, nil
}

func runTable2(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	rows := profileAll(e)
	pairs, err := idealPairs(ctx, e, []int{8, 16})
	if err != nil {
		return experiment.Findings{}, err
	}
	n := 8
	if e.Reading("switchml.ina-over-1.75") == "n16" {
		n = 16
	}
	f := experiment.Findings{}
	t := claims.Table{
		ID: "switchml.tab2", Title: "Batch speed-up of in-network aggregation over ring all-reduce, synthetic communication",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "link"}, {Name: "switch"}, {Name: "batch with INA", Unit: "ms"}, {Name: "overlap of the trace", Unit: "%"},
			{Name: "speed-up, 8 workers"}, {Name: "speed-up, 16 workers"},
		},
		Notes: []string{replayModel + ".", switchNote},
	}
	best := map[string]float64{}
	for i := range rows {
		r := &rows[i]
		speedup := func(n int) float64 { return pairs[n][r.Link].replay(r) }
		if slices.Contains(table2Rows[r.Profile.Name], r.Link) {
			f.Set(tab2(r.Profile.Name, r.Link), speedupOf(speedup(n), n))
		}
		best[r.Link] = max(best[r.Link], speedup(n))
		ina := pairs[8][r.Link].ina
		when := traceOf(r, ina.rate(), true).Replay(1, ina.cost)
		t.Add(render.Text(r.Profile.Name), render.Text(r.Row.Link.String()), render.Text(ina.ran), render.Number(when.Iteration.Milliseconds(), 1),
			render.Percent(when.Hidden.Seconds()/when.Comm.Seconds()), render.Number(speedup(8), 3), render.Number(speedup(16), 3))
	}
	f.Set("switchml.s3.ina-max-10g", speedupOf(best["10g"], n))
	f.Set("switchml.s3.ina-max-100g", speedupOf(best["100g"], n))
	f.Tables = []claims.Table{t}
	return f, nil
}

// replay replays the row on both systems of a pair.
func (a against) replay(p *testbed.Profiled) float64 {
	return a.speedup(traceOf(p, a.ina.rate(), true), 1, 0)
}

func speedupOf(v float64, workers int) claims.Measured {
	return claims.Number(v).On(fmt.Sprintf("ring over RoCE, and SwitchML-256 on the emulated Tofino with its time, of %d workers simulated, hosts cost nothing; %s", workers, replayModel))
}
