package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// packetLatency is how long the all-reduce of one packet takes (SwitchML §3).
func packetLatency() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s3.sub-rtt", Title: "time of a one-packet all-reduce on real packets: SwitchML, parameter servers and a ring over kernel TCP",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s3.sub-rtt"},
		Live:   true, Quick: "2 of 5 rounds, 30 of 100 all-reduces each",
		Run: onLab(runPSLatency),
	}
}

// Settings of the latency.
const (
	latencyWorkers  = 4
	latencyElements = 256 // one packet
	// latencyDelay is that of each link, stretched by the scale as times on the line are:
	// at 100 Gbit/s a small packet is on its way for longer than it is being sent, and
	// so it is to be here. It is also well above what this machine takes for a hop.
	latencyDelay = linkDelay * slowScale
)

// latency is the ways of one packet.
type latency struct{ rounds }

// Runs that the claim is of; colocated servers are between them.
const (
	latencyINA  = 0
	latencyPS   = 1
	latencyRing = 3
)

func newLatency(e *experiment.Env) *latency {
	const warmup = 10
	run := func(name string, sys job.System) liveRun {
		return liveRun{
			name: name + ", one packet", sys: sys, topology: "rack", hosts: latencyWorkers, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale,
			delay: latencyDelay, elements: latencyElements, iterations: experiment.Cut(e, 100, 30) + warmup, warmup: warmup,
		}
	}
	runs := []liveRun{
		run("SwitchML-256", testbed.Pipe256),
		run("dedicated parameter servers over TCP", ps.System{Dedicated: true}),
		run("colocated parameter servers over TCP", ps.System{}),
		run("ring over TCP", testbed.RingTCP),
	}
	return &latency{rounds{runs: runs, n: experiment.Cut(e, 5, 2)}}
}

// each returns the median time of an all-reduce at a worker, in a round of a run.
func (x *latency) each(run, round int) units.Duration {
	var all []float64
	for _, s := range x.got[run][round].Cell.Samples {
		if s.Iteration >= x.runs[run].warmup {
			all = append(all, float64(s.End.Sub(s.Start)))
		}
	}
	m, _ := stat.Median(all)
	return units.Duration(m)
}

// took returns the median over rounds, in microseconds.
func (x *latency) took(run int) float64 {
	return x.median(func(round int) float64 { return 1000 * x.each(run, round).Milliseconds() })
}

// ordered returns in how many rounds the three were in the order of the claim.
func (x *latency) ordered() (n int) {
	for round := range x.n {
		if servers := x.each(latencyPS, round); x.each(latencyINA, round) < servers && servers < x.each(latencyRing, round) {
			n++
		}
	}
	return n
}

func runPSLatency(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := newLatency(l.env)
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	f.Tables = []claims.Table{x.table()}
	medians := map[string]float64{"ina": x.took(latencyINA), "ps": x.took(latencyPS), "ring": x.took(latencyRing)}
	m := claims.Ranking(medians).Noting("in this order in %d of %d rounds; a round trip between two hosts takes %v in link delays alone", x.ordered(), x.n, 4*latencyDelay)
	what := fmt.Sprintf("%d workers, links with a delay of %v; medians of %d rounds in turns; ps is dedicated; %s", latencyWorkers, latencyDelay, x.n, tcpOf())
	f.Set("switchml.s3.sub-rtt", l.say(m, slowScale, what))
	return f, nil
}

func (x *latency) table() claims.Table {
	t := claims.Table{
		ID: "switchml.s3.sub-rtt", Title: fmt.Sprintf("All-reduce of %d int32 values, one packet, %d workers, links of %v with a delay of %v", latencyElements, latencyWorkers, testbed.Gigabit100/slowScale, latencyDelay),
		Columns: []claims.Column{
			{Name: "system"}, {Name: "switch"}, {Name: "time", Unit: "ms"}, {Name: "least of a round", Unit: "ms"}, {Name: "most of a round", Unit: "ms"}, {Name: "in round trips between hosts"}, {Name: "fidelity"},
		},
		Notes: []string{
			"Times are medians over all-reduces, workers and rounds; a round trip is that of the links' delays alone.",
			"Servers take a quarter of the packet each. All packets, of every system, pass the same software switch.",
		},
	}
	for i := range x.runs {
		least, most := x.each(i, 0), x.each(i, 0)
		for round := range x.n {
			least, most = min(least, x.each(i, round)), max(most, x.each(i, round))
		}
		t.Add(render.Text(x.runs[i].name), render.Text(x.got[i][0].on), render.Number(x.took(i)/1000, 2), render.Number(least.Milliseconds(), 2), render.Number(most.Milliseconds(), 2),
			render.Number(x.took(i)/1000/(4*latencyDelay).Milliseconds(), 2), render.Text(x.verdicts(i)))
	}
	return t
}
