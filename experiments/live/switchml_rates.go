package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// packetRates is elements a second on shaped links: packet sizes, workers, and
// the ring.
func packetRates() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s6.1.live", Title: "elements aggregated a second: SwitchML-256 and -64, 2 to 16 workers, and a ring over kernel TCP",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{
			"switchml.s6.1.k64-slower", "switchml.s6.1.ate-flat", "switchml.s1.micro.nccl-tcp",
		},
		Live: true, Quick: "30 of 100 all-reduces of each run",
		Run: onLab(runRates),
	}
}

// Settings of the microbenchmark.
const (
	// rateElements take 90 ms, beside which the first round trip is little.
	rateElements = 1 << 18
	// microElements is the tensor of SwitchML §1, 100 MB, by the scale.
	microElements = 100_000_000 / 4 / slowScale
)

// rates is the microbenchmark.
type rates struct {
	runs []liveRun
	got  []ran
}

// Names of runs that claims are of.
const (
	rate64    = "SwitchML-64"
	rate256   = "SwitchML-256"
	rateMicro = "SwitchML-256, 100 MB by the scale"
	rateRing  = "ring over TCP, 100 MB by the scale"
)

func newRates(e *experiment.Env) *rates {
	const warmup = 2
	n := experiment.Cut(e, 100, 30) // of 20 the mean differed by a quarter from run to run
	run := func(name string, sys job.System, workers, elements int) liveRun {
		return liveRun{
			name: name, sys: sys, topology: "rack", hosts: workers, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: slowScale,
			elements: elements, iterations: n + warmup, warmup: warmup,
		}
	}
	return &rates{runs: []liveRun{
		run(rate256, testbed.Pipe256, 2, rateElements), run(rate256, testbed.Pipe256, 4, rateElements), run(rate256, testbed.Pipe256, 8, rateElements),
		run(rate64, testbed.Pipe64, 4, rateElements),
		run(rateMicro, testbed.Pipe256, 8, microElements), run(rateRing, testbed.RingTCP, 8, microElements),
		run(rateMicro, testbed.Pipe256, 16, microElements), run(rateRing, testbed.RingTCP, 16, microElements),
	}}
}

// at returns the elements a second of a run.
func (r *rates) at(name string, workers int) float64 {
	for i := range r.runs {
		if x := &r.runs[i]; x.name == name && x.hosts == workers {
			return x.perSecond(&r.got[i])
		}
	}
	return 0
}

func runRates(ctx context.Context, l *lab) (experiment.Findings, error) {
	r := newRates(l.env)
	var err error
	if r.got, err = l.right(ctx, r.runs...); err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{r.table()}}
	f.Set("switchml.s6.1.k64-slower", l.say(claims.Number(r.at(rate256, 4)/r.at(rate64, 4)), slowScale, "4 workers"))
	f.Set("switchml.s6.1.ate-flat", l.say(claims.Number(r.spread()), slowScale, "2, 4 and 8 workers"))
	best, workers := 0.0, 0
	for _, n := range []int{8, 16} {
		if v := r.at(rateMicro, n) / r.at(rateRing, n); v > best {
			best, workers = v, n
		}
	}
	m := claims.Number(best).Noting("links and the latency of the ring's steps are the limit here, not what TCP costs a host at 100 Gbit/s")
	f.Set("switchml.s1.micro.nccl-tcp", l.say(m, slowScale, fmt.Sprintf("%s; the best of 8 and 16 is with %d workers", tcpOf(), workers)))
	return f, nil
}

// spread returns by how many per cent the rate with some number of workers is off
// the mean, at most.
func (r *rates) spread() float64 {
	workers := []int{2, 4, 8}
	mean := 0.0
	for _, n := range workers {
		mean += r.at(rate256, n) / float64(len(workers))
	}
	worst := 0.0
	for _, n := range workers {
		off := r.at(rate256, n)/mean - 1
		worst = max(worst, 100*max(off, -off))
	}
	return worst
}

func (r *rates) table() claims.Table {
	t := claims.Table{
		ID: "switchml.s6.1.live", Title: fmt.Sprintf("Elements aggregated a second on links of %v", testbed.Gigabit100/slowScale),
		Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "workers"}, {Name: "tensor", Unit: "int32"}, {Name: "time", Unit: "ms"}, {Name: "elements", Unit: "1e6/s"}, {Name: "fidelity"}},
	}
	for i := range r.runs {
		x, m := &r.runs[i], &r.got[i]
		t.Add(render.Text(x.name), render.Text(m.on), render.Int(x.hosts), render.Int(x.elements), render.Number(x.each(m).Milliseconds(), 2),
			render.Number(x.perSecond(m)/1e6, 2), render.Text(m.Cell.Fidelity.Verdict))
	}
	return t
}
