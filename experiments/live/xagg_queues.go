package live

import (
	"context"
	"fmt"
	"runtime"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// aggregatorQueues is XDP on one and on two CPUs (XAgg §VI-B, Fig 8).
func aggregatorQueues() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig8", Title: "packets that XDP adds with one and with two receive queues, a CPU each",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig8.linear"},
		Live:   true, Quick: "3 of 7 rounds, 0.15 s in place of 0.5 s each",
		Run: onLab(runQueues),
	}
}

// scaledRate is the rate on CPUs that others leave alone: what was measured, over the share of CPU
// time that was left.
func scaledRate(r *onehop.Result) float64 { return r.Rate() / (1 - min(r.Foreign, 0.99)) }

func runQueues(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	if runtime.NumCPU() < 2 {
		return f, fmt.Errorf("%w: two CPUs", ErrLacks)
	}
	x := &onehops{n: experiment.Cut(l.env, 7, 3)}
	for _, q := range []int{1, 2} {
		x.add(onehop.Config{Aggregator: onehop.XDP, Values: onehopValues, Queues: q, Shared: true, For: onehopFor(l.env)})
	}
	if err = x.carryOut(ctx, l, "receive queues"); err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "xagg.fig8", Title: fmt.Sprintf("XDP with packets of %d values, by receive queues", onehopValues),
		Columns: []claims.Column{{Name: "queues"}, {Name: "packets", Unit: "Mpps"}, {Name: "values", Unit: "Gbit/s"}, {Name: "packets here", Unit: "Mpps"}, {Name: "others' CPU", Unit: "%"}, {Name: "loss", Unit: "%"}},
		Notes: []string{
			"Each queue has a CPU, which its sender and its share of the parameter server have, too, with one queue as with two: so the rates compare, and are below those of a core for the aggregator alone.",
			"Packets: over the share of the CPUs that others left. Here: as measured.",
			vethNote,
		},
	}
	for i, c := range x.list {
		rate := x.median(i, scaledRate)
		t.Add(render.Int(c.Queues), render.Number(rate/1e6, 3), render.Number(gbps(rate, onehopValues), 2), render.Number(x.rate(i)/1e6, 3), render.Percent(x.foreign(i)), render.Percent(x.loss(i)))
	}
	f.Tables = []claims.Table{t}
	m := claims.Number(x.over(1, 0, scaledRate)).Noting("each CPU has the sender of its queue, too; more than 2 are not tried")
	f.Set("xagg.fig8.linear", l.sayOneHop(m, fmt.Sprintf("median of %d rounds in turns", x.n)))
	return f, nil
}
