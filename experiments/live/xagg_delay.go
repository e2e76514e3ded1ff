package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// aggregatorDelay is the delay of one hop, by load (XAgg §VI-B, Fig 10).
func aggregatorDelay() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig10", Title: "delay of one hop through XDP and a TCP relay: the difference of two round trips, by load",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig10.latency-rise", "xagg.fig10.vs-tcp"},
		Live:   true, Quick: "3 of 7 rounds, 0.15 s in place of 0.5 s each",
		Run: onLab(runDelay),
	}
}

// hop is the two round trips at one rate.
type hop struct {
	kind        onehop.Kind
	load        string
	rate        float64
	via, direct int // measurements
}

// addHop lists the two.
func (x *onehops) addHop(l *lab, k onehop.Kind, load string, rate float64) hop {
	c := onehop.Config{Aggregator: k, Values: onehopValues, Rate: rate, Burst: coalesced, RoundTrips: true, For: onehopFor(l.env)}
	direct := c
	direct.Direct = true
	return hop{kind: k, load: load, rate: rate, via: x.add(c), direct: x.add(direct)}
}

// took is the delay of a hop in microseconds.
func (x *onehops) took(h hop) float64 { return x.trip(h.via) - x.trip(h.direct) }

func runDelay(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := &onehops{n: experiment.Cut(l.env, 7, 3)}
	most, err := x.saturated(ctx, l, onehop.XDP, onehop.TCP)
	if err != nil {
		return f, err
	}
	// 10% and about 95% of what it carries (the claim's how)
	low, high := x.addHop(l, onehop.XDP, "10% of XDP's", 0.1*most[0]), x.addHop(l, onehop.XDP, "95% of XDP's", 0.95*most[0])
	hops := []hop{low, high}
	type pair struct{ xdp, tcp hop }
	var pairs []pair
	for _, share := range []float64{0.1, 0.5, 0.8} { // rates that both carry (assumed)
		load := fmt.Sprintf("%.0f%% of TCP's", 100*share)
		p := pair{x.addHop(l, onehop.XDP, load, share*most[1]), x.addHop(l, onehop.TCP, load, share*most[1])}
		pairs, hops = append(pairs, p), append(hops, p.xdp, p.tcp)
	}
	if err = x.carryOut(ctx, l, "delay of one hop"); err != nil {
		return f, err
	}
	f.Tables = []claims.Table{x.delays(hops)}
	what := fmt.Sprintf("median round trips; median of %d rounds in turns", x.n)
	rise := 100 * (x.took(high)/x.took(low) - 1)
	f.Set("xagg.fig10.latency-rise", l.sayOneHop(claims.Number(rise).Noting("from %.3g to %.3g us; it waits for the kernel's thread, not in a card and a switch", x.took(low), x.took(high)), what))
	least := 100.0
	for _, p := range pairs {
		least = min(least, 100*(1-x.took(p.xdp)/x.took(p.tcp)))
	}
	f.Set("xagg.fig10.vs-tcp", l.sayOneHop(claims.Number(least).Noting("the least over loads up to 80%% of what the relay carries; TCP with all offloads"), what))
	return f, nil
}

func (x *onehops) delays(hops []hop) claims.Table {
	t := claims.Table{
		ID: "xagg.fig10", Title: fmt.Sprintf("Delay of one hop, packets of %d values", onehopValues),
		Columns: []claims.Column{{Name: "aggregator"}, {Name: "load"}, {Name: "offered", Unit: "Mpps"}, {Name: "through it", Unit: "us"}, {Name: "past it", Unit: "us"}, {Name: "one hop", Unit: "us"}, {Name: "others' CPU", Unit: "%"}},
		Notes: []string{
			"Medians of round trips: worker, server, parameter server, worker; and worker, parameter server, worker. The hop is the difference.",
			fmt.Sprintf("Packets come in bursts of %d; the one whose time is taken waits for those before it.", coalesced),
			"The CPUs are woken for each batch that comes while they are idle, which is most of the delay at low load.", vethNote,
		},
	}
	for _, h := range hops {
		t.Add(render.Text(string(h.kind)), render.Text(h.load), render.Number(h.rate/1e6, 3), render.Number(x.trip(h.via), 1), render.Number(x.trip(h.direct), 1), render.Number(x.took(h), 1), render.Percent(x.foreign(h.via)))
	}
	return t
}
