package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	agent "github.com/inalab/inalab/nodes/xaggd"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// xaggTestbed is XAgg beside TCP-Agg on the paper's tree, and what negotiation takes there (XAgg §IV-C, §VI-C).
func xaggTestbed() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig13.live", Title: "all-reduce of XAgg and TCP-Agg on the testbed's tree on real packets, and the time of negotiation",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig13.reduction.tcp-agg", "xagg.delay.negligible"},
		Live:   true, Quick: "2 of 7 rounds",
		Run: onLab(runXAggTestbed),
	}
}

// Gradients of two of the paper's models, the smallest of which Fig 13 speaks, and the largest.
var xaggLiveSizes = []struct {
	name string
	mib  int
}{{"ResNet50", 97}, {"VGG16", 528}}

// Runs of each size.
const (
	testbedXAgg = iota
	testbedTCPAgg
	// testbedNegotiation trains: workers compute while the results of the iteration before come to all, so that nobody
	// waits with a request for others to be done with it.
	testbedNegotiation
	testbedRuns
)

func xaggTestbedRuns() (runs []liveRun) {
	for _, s := range xaggLiveSizes {
		train := onTestbed("XAgg in training, "+s.name, testbed.XAgg, s.mib, 9)
		train.elements, train.warmup, train.batch, train.model = 0, 0, 1, sized(s.mib)
		runs = append(runs, onTestbed("XAgg, "+s.name, testbed.XAgg, s.mib, 9), onTestbed("TCP-Agg, "+s.name, testbed.XAggTCPAgg, s.mib, 9), train)
	}
	return runs
}

// negotiated returns the mean time from a worker's request to its first rate in an iteration.
func negotiated(m *ran) units.Duration {
	worker := func(node string) bool { return len(node) == 2 && node < "h7" }
	n := max(1, counted(&m.Cell, agent.CountInitials, worker))
	return units.Duration(counted(&m.Cell, agent.CountInitialTime, worker)/n) * units.Nanosecond
}

// testbedGot is the medians of a size.
type testbedGot struct {
	xagg, tcp, reduction float64 // ms, ms, percent
	initial, share       float64 // ms, percent of the transfer
}

func (x *rounds) testbed(size int) (g testbedGot) {
	ms := func(run int) func(int) float64 {
		run += size * testbedRuns
		return func(round int) float64 { return x.runs[run].each(&x.got[run][round]).Milliseconds() }
	}
	mean := func(run, round int) float64 {
		return negotiated(&x.got[size*testbedRuns+run][round]).Milliseconds()
	}
	xagg, tcp := ms(testbedXAgg), ms(testbedTCPAgg)
	g.xagg, g.tcp = x.median(xagg), x.median(tcp)
	g.reduction = x.median(func(round int) float64 { return 100 * (1 - xagg(round)/tcp(round)) })
	g.initial = x.median(func(round int) float64 { return mean(testbedNegotiation, round) })
	g.share = x.median(func(round int) float64 {
		return 100 * mean(testbedNegotiation, round) / (xagg(round) - mean(testbedXAgg, round))
	})
	return g
}

func runXAggTestbed(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := &rounds{runs: xaggTestbedRuns(), n: experiment.Cut(l.env, 7, 2)}
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "xagg.fig13.live", Title: "An all-reduce on the testbed's tree, live",
		Columns: []claims.Column{{Name: "gradient of"}, {Name: "XAgg", Unit: "ms"}, {Name: "TCP-Agg", Unit: "ms"}, {Name: "reduction", Unit: "%"}, {Name: "negotiation", Unit: "ms"}, {Name: "of the transfer", Unit: "%"}, {Name: "fidelity"}},
		Notes: []string{
			"Negotiation is from a worker's request to its first rate, mean over workers and iterations of a training; the transfer is an all-reduce less what it waits for a rate.",
			"No processor is at its limit at these rates. TCP-Agg's sums go down the tree, three times from the PS and from each server; XAgg's go once, by multicast.",
		},
	}
	var got []testbedGot
	for i, s := range xaggLiveSizes {
		g := x.testbed(i)
		got = append(got, g)
		t.Add(render.Text(s.name), render.Number(g.xagg, 1), render.Number(g.tcp, 1), render.Number(g.reduction, 1), render.Number(g.initial, 2), render.Number(g.share, 1),
			render.Text(x.verdicts(i*testbedRuns+testbedXAgg)+"; "+x.verdicts(i*testbedRuns+testbedTCPAgg)))
	}
	f.Tables = []claims.Table{t}
	what := fmt.Sprintf("median of %d rounds in turns, 8 all-reduces each; %s", x.n, kernelTCP())
	f.Set("xagg.fig13.reduction.tcp-agg", l.say(claims.Number(got[0].reduction).Noting("VGG16 %.3g; no processor is at its limit at these rates: the rest is that sums go down by multicast", got[1].reduction), slowScale, what))
	f.Set("xagg.delay.negligible", l.say(claims.Number(got[0].share).Noting("%.3g ms of ResNet50, the smallest model; of VGG16 %.3g", got[0].initial, got[1].share), slowScale, what))
	return f, nil
}
