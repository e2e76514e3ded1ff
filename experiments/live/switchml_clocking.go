package live

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// selfClocking is the pace of workers of which one has a slow link (SwitchML
// §4.4).
func selfClocking() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s4.4.self-clocking", Title: "packets in flight and rates of SwitchML workers, one with a link of a quarter",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s4.4.self-clocking"},
		Live:   true, Quick: "a tensor of 512 KiB in place of 2 MiB",
		Run: onLab(runClocking),
	}
}

func clockingRun(e *experiment.Env) liveRun {
	return liveRun{
		name: "SwitchML-256, the link of h0 a quarter", sys: switchml.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe}, topology: "rack", hosts: 4, mtu: testbed.MTU,
		rate: testbed.Gigabit100, scale: slowScale, slow: 4, elements: experiment.Cut(e, 1<<19, 1<<17), iterations: 2, traced: true,
	}
}

func runClocking(ctx context.Context, l *lab) (experiment.Findings, error) {
	r := clockingRun(l.env)
	got, err := l.right(ctx, r)
	if err != nil {
		return experiment.Findings{}, err
	}
	t := claims.Table{
		ID: "switchml.s4.4.self-clocking", Title: fmt.Sprintf("Workers of SwitchML-256 with a pool of %d, links of %v and, of h0, %v", slowPool, r.rate/slowScale, r.rate/slowScale/4),
		Columns: []claims.Column{{Name: "worker"}, {Name: "switch"}, {Name: "packets"}, {Name: "most in flight"}, {Name: "packets a second"}},
	}
	most, rates := 0, []float64{} // of workers, h0 first
	for w := range r.hosts {
		p := paceOf(got[0].logs, fmt.Sprintf("h%d", w))
		if p.results == 0 || p.sent != p.results {
			return experiment.Findings{}, fmt.Errorf("%s: h%d sent %d packets and took %d results", r.name, w, p.sent, p.results)
		}
		most, rates = max(most, p.most), append(rates, p.rate())
		t.Add(render.Text(fmt.Sprintf("h%d", w)), render.Text(got[0].on), render.Int(p.sent), render.Int(p.most), render.Number(p.rate(), 1))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("switchml.s4.4.self-clocking", l.say(claims.NumberParts(map[string]float64{
		"in_flight_over_pool": float64(most) / slowPool, "slowest_over_throttled": slices.Min(rates) / rates[0], "fastest_over_throttled": slices.Max(rates) / rates[0],
	}), slowScale, fmt.Sprintf("pool of %d; from the events of 4 workers", slowPool)))
	return f, nil
}

// pace is what the events of a worker say of its packets.
type pace struct {
	sent, results  int
	inFlight, most int
	first, last    units.Time // packet sent, result taken
}

func paceOf(logs []*trace.Log, node string) (p pace) {
	for e := range trace.Merged(logs) {
		switch {
		case e.Node != node:
		case e.Kind == trace.Sent:
			if p.sent == 0 {
				p.first = e.At
			}
			p.sent++
			p.inFlight++
			p.most = max(p.most, p.inFlight)
		case e.Kind == trace.ResultIn:
			p.results++
			p.inFlight--
			p.last = e.At
		}
	}
	return p
}

// rate returns packets answered in a second.
func (p *pace) rate() float64 { return float64(p.results) / p.last.Sub(p.first).Seconds() }
