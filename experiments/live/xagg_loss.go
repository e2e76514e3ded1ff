package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// aggregatorLoss is the loss by load (XAgg §VI-B, Fig 11).
func aggregatorLoss() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig11", Title: "packets that XDP loses, and segments that TCP sends again, by load",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig11.onset"},
		Live:   true, Quick: "3 of 5 loads, 2 of 5 rounds, 0.15 s in place of 0.5 s each",
		Run: onLab(runLossOnset),
	}
}

func runLossOnset(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	kinds := []onehop.Kind{onehop.XDP, onehop.TCP}
	x := &onehops{n: experiment.Cut(l.env, 5, 2)}
	most, err := x.saturated(ctx, l, kinds...)
	if err != nil {
		return f, err
	}
	loads := experiment.Cut(l.env, []float64{0.2, 0.4, 0.6, 0.75, 0.95}, []float64{0.2, 0.6, 0.75}) // below 80%, and one above it
	at := make([][]int, len(kinds))
	for i, k := range kinds {
		for _, load := range loads {
			at[i] = append(at[i], x.add(onehop.Config{Aggregator: k, Values: onehopValues, Rate: load * most[i], For: onehopFor(l.env)}))
		}
	}
	if err = x.carryOut(ctx, l, "loss by load"); err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "xagg.fig11", Title: fmt.Sprintf("Packets lost, and segments sent again, packets of %d values", onehopValues),
		Columns: []claims.Column{{Name: "aggregator"}, {Name: "load", Unit: "%"}, {Name: "offered", Unit: "Mpps"}, {Name: "lost or sent again", Unit: "%"}, {Name: "others' CPU", Unit: "%"}},
		Notes: []string{
			"Of XDP the share of packets that did not come to the parameter server; of TCP the share of the worker's segments that it sent again (XAgg §VI-B).",
			"Loads are shares of what each carries here, so the two have the same load at different rates.", vethNote,
		},
	}
	worst := map[string]float64{"xdp": 0, "tcp": 0}
	for i, k := range kinds {
		name, lost := "xdp", x.loss
		if k == onehop.TCP {
			name, lost = "tcp", x.again
		}
		for j, load := range loads {
			n := at[i][j]
			t.Add(render.Text(string(k)), render.Percent(load), render.Number(x.offered(n)/1e6, 3), render.Percent(lost(n)), render.Percent(x.foreign(n)))
			if load < 0.8 {
				worst[name] = max(worst[name], 100*lost(n))
			}
		}
	}
	f.Tables = []claims.Table{t}
	f.Set("xagg.fig11.onset", l.sayOneHop(claims.NumberParts(worst).Noting("a wire's ring holds 256 packets, and overflows when the aggregator's thread does not run for as long as they take"), fmt.Sprintf("median of %d rounds in turns", x.n)))
	return f, nil
}
