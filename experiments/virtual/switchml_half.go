package virtual

import (
	"context"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	switchmlsystem "github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// halfPrecision is SwitchML §6.3 and Fig 11: values of 16 bits on the wire.
func halfPrecision() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig11", Title: "elements aggregated a second in 32 and in 16 bits, 8 workers",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s6.3.fp16-doubles"},
		Quick:  "a tensor of a quarter at 10 Gbit/s, and 2 workers",
		Run:    runHalf,
	}
}

func runHalf(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	var calls []call
	for _, l := range testbed.LinkRates {
		for _, values := range []switchml.Values{switchml.Int32, switchml.Fixed16} {
			c := contender{name: string(values), sys: switchmlsystem.System{Elements: 256, Host: switchmlsystem.Host{Values: values}}, dpdk: true}.at(e, 8, l.Rate)
			if e.Quick {
				c.workers, c.mib = 2, slowMiB
			}
			calls = append(calls, c)
		}
	}
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "switchml.fig11", Title: "Elements aggregated a second by SwitchML-256 on DPDK hosts, by the bits of a value",
		Columns: []claims.Column{{Name: "link"}, {Name: "values"}, {Name: "switch"}, {Name: "tensor", Unit: "1e6"}, {Name: "time", Unit: "ms"}, {Name: "elements", Unit: "1e9/s"}},
		Notes:   []string{"The tensor has as many elements in both; a packet has 256 of 32 bits or 512 of 16. What converting them costs a host is not charged.", switchNote},
	}
	for i := range calls {
		c := &calls[i]
		t.Add(render.Text(c.rate.String()), render.Text(c.name), render.Text(c.ran), render.Number(float64(c.bytes())/4e6, 1), render.Number(times[i].Milliseconds(), 3), render.Number(c.rateOf(times[i])/1e9, 3))
	}
	f.Tables = []claims.Table{t}
	f.Set("switchml.s6.3.fp16-doubles", claims.Number(times[0].Seconds()/times[1].Seconds()).On("SwitchML-256 on DPDK hosts, 10 Gbit/s").Noting("%.3g at 100 Gbit/s", times[2].Seconds()/times[3].Seconds()))
	return f, nil
}
