package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
)

// xaggExample is XAgg Fig 1 on real packets.
func xaggExample() experiment.Experiment {
	const id = "xagg.fig1.live"
	return experiment.Experiment{
		ID: id, Title: "the example of four workers on real packets, one two seconds late and one with half of the bandwidth: XAgg, a PS and ATP",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{id},
		Live:   true,
		Run:    onLab(runXAggExample),
	}
}

// The example of XAgg §II-A: W3 is late, W2 has half of the bandwidth.
const (
	exampleWorkers = 4
	exampleMiB     = 1192 // 1.25 GB
	exampleScale   = 1000 // links of 10 Mbit/s
	examplePatient = 10 * units.Second
	// exampleCompute is what all compute before (assumed: this machine takes less for the gradient); a fortieth of the whole.
	exampleCompute = 100 * units.Millisecond
)

// exampleRun is a system on it. Links carry gradients at the rates of the example, and headers beside them; the
// way from the server to the workers has no limit, since the example has none (ambiguity xagg.downstream).
func exampleRun(name string, sys job.System, frame, payload units.Bytes) liveRun {
	r := liveRun{
		name: name, sys: sys, topology: "rack", hosts: exampleWorkers, mtu: testbed.MTU, rate: testbed.Gigabit10, scale: exampleScale, iterations: 1, batch: 1,
		model: profiles.Profile{Name: "1.25 GB", SizeMiB: exampleMiB, Compute: exampleCompute},
	}
	last := fmt.Sprintf("h%d", exampleWorkers+job.Servers(sys, exampleWorkers)-1)
	r.links = func(l *topo.Link) {
		host, up, down := l.A.Node, &l.AtoB, &l.BtoA
		if host[0] != 'h' {
			host, up, down = l.B.Node, down, up
		}
		rate := up.Rate * units.Rate(frame+units.EthernetFraming) / units.Rate(payload)
		switch {
		case host == last:
			up.Rate, down.Rate = 0, rate
		case host >= "h4": // an aggregator
			up.Rate, down.Rate = rate, rate
		case host == "h1":
			up.Rate, down.Rate = rate/2, 0
		default:
			up.Rate, down.Rate = rate, 0
		}
	}
	r.change = func(s *job.Spec) { s.Paces = []job.Pace{2: {Lag: 2 * units.Second}} }
	return r
}

func runXAggExample(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	ina := testbed.ATP(l.env)
	ina.Copy, ina.Levels, ina.Timeout = 0, atpsystem.RackLevel, examplePatient
	runs := []liveRun{
		exampleRun("XAgg", xagg.System{K: 3}, units.Bytes(wire.FrameLen(wire.Values)), testbed.ValuesOf256),
		exampleRun("parameter server", ps.System{Dedicated: true, Count: 1}, testbed.MTU+14, testbed.MTU+14-job.TCPHeaders),
		exampleRun("ATP", ina, testbed.ATPFrame, testbed.ATPValues),
	}
	t := claims.Table{
		ID: "xagg.fig1.live", Title: "From the first worker that computes to the last that has the sum, on the example of XAgg Fig 1",
		Columns: []claims.Column{{Name: "system"}, {Name: "time", Unit: "s"}},
		Notes:   []string{"The way from the server to the workers has no limit. ATP adds all four workers up in one switch."},
	}
	var took []float64
	for i := range runs {
		m, err := l.checked(ctx, runs[i])
		if err != nil {
			return f, err
		}
		took = append(took, testbed.Took(m.Cell.Samples, 0).Seconds())
		t.Add(render.Text(runs[i].name), render.Number(took[i], 3))
	}
	f.Tables = []claims.Table{t}
	f.Set("xagg.fig1.live", l.say(claims.NumberParts(map[string]float64{"over_ps": took[0] / took[1], "over_ina": took[0] / took[2]}), exampleScale, "XAgg with elements in the kernel where it has XDP, a PS over TCP, ATP"))
	return f, nil
}
