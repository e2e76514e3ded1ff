package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggAsynchrony is how long workers of the example send that are not late (XAgg §II).
func xaggAsynchrony() experiment.Experiment {
	const id = "xagg.s2.cache-asynchrony"
	return experiment.Experiment{
		ID: id, Title: "how long workers send on the example of XAgg Fig 1 while one is late, on real packets",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Live:   true, Quick: "1 of 3 runs",
		Run: onLab(runXAggAsynchrony),
	}
}

// punctual are the workers of the example that are not late, with how long they send where nobody waits: W1 and
// W2 share the link of their server, W4 has that of the parameter server to itself.
var punctual = []struct {
	name, host string
	takes      units.Duration
}{{"w1", "h0", 2 * units.Second}, {"w2", "h1", 2 * units.Second}, {"w4", "h3", units.Second}}

func asynchronyRun() liveRun {
	r := exampleRun("XAgg on the example of Fig 1", xagg.System{K: 3}, units.Bytes(wire.FrameLen(wire.Values)), testbed.ValuesOf256)
	r.traced = true
	return r
}

func runXAggAsynchrony(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := &rounds{runs: []liveRun{asynchronyRun()}, n: experiment.Cut(l.env, 3, 1)}
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "xagg.s2.cache-asynchrony", Title: "From the first packet of a worker to its last, while W3 is late by 2 s",
		Columns: []claims.Column{{Name: "worker"}, {Name: "sent for", Unit: "s"}, {Name: "at the rate of links", Unit: "s"}, {Name: "fidelity"}},
	}
	beyond := map[string]float64{}
	for _, p := range punctual {
		took := x.median(func(round int) float64 { return span(sentBy(x.got[0][round].logs, 0)[p.host]).Seconds() })
		beyond[p.name] = 100 * (took/p.takes.Seconds() - 1)
		t.Add(render.Text(p.name), render.Number(took, 3), render.Number(p.takes.Seconds(), 1), render.Text(x.verdicts(0)))
	}
	f.Tables = []claims.Table{t}
	f.Set("xagg.s2.cache-asynchrony", l.say(claims.NumberParts(beyond), exampleScale, fmt.Sprintf("W1 and W2 share the link of their server; median of %d runs", x.n)))
	return f, nil
}
