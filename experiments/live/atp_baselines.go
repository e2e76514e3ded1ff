package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	atpsystem "github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
)

// atpOverTCP is ATP beside systems over kernel TCP, one job of 8 workers (ATP Fig 8).
func atpOverTCP() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig8.live", Title: "training throughput of ATP over BytePS and a ring on kernel TCP, one job of 8 workers",
		Switch: []claims.Switch{claims.SwitchReference},
		Claims: []claims.ID{"atp.fig8.byteps-nton-tcp", "atp.fig8.byteps-nto1-tcp", "atp.fig8.horovod-tcp"},
		Live:   true, Quick: "1 of 3 all-reduces, one round of 3",
		Run: onLab(runATPOverTCP),
	}
}

// Settings of the comparison.
const (
	atpTCPWorkers = 8
	// atpTCPScale leaves links of 50 Mbit/s: with packets of 306 bytes 9 of them are what two cores carry.
	atpTCPScale = 2 * slowScale
	// Elements of a tensor: 32 and more slices of 32 KiB, which a server of BytePS adds at a time, also where
	// it has an eighth of the tensor.
	atpTCPElements = 1 << 18
	atpTCPShards   = 4 * atpTCPElements
)

// Schemes of [atpTCP], by the order of its runs.
const (
	liveATP = iota
	liveATPOther
	liveNtoN
	liveNto1
	liveRing
)

// atpTCP is one run of each scheme in a round.
type atpTCP struct {
	rounds
	env *experiment.Env
}

func newATPTCP(e *experiment.Env) *atpTCP {
	const warmup = 1
	run := func(name string, sys job.System, elements int) liveRun {
		return liveRun{
			name: name, sys: sys, topology: "rack", hosts: atpTCPWorkers, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: atpTCPScale,
			elements: elements, iterations: experiment.Cut(e, 3, 1) + warmup, warmup: warmup,
		}
	}
	reading, other := e.Reading("atp.copy"), "frames"
	if reading == other {
		other = "payload"
	}
	atp := func(name, of string) liveRun {
		r := run(name, atpsystem.System{}, atpTCPElements)
		r.links = copiedAt(testbed.ATPCopy(e, of) / atpTCPScale)
		return r
	}
	runs := []liveRun{
		liveATP:      atp("ATP", reading),
		liveATPOther: atp("ATP, copies counted in "+other, other),
		liveNtoN:     run("BytePS NtoN, servers beside workers, TCP", ps.System{}, atpTCPShards),
		liveNto1:     run("BytePS Nto1, TCP", ps.System{Count: 1, Dedicated: true}, atpTCPElements),
		liveRing:     run("ring, TCP", testbed.RingTCP, atpTCPShards),
	}
	return &atpTCP{rounds{runs: runs, n: experiment.Cut(e, 3, 1)}, e}
}

// copiedAt slows the link towards the host behind the workers, ATP's server, down to the rate at which the server
// copies frames, which live servers do at once.
func copiedAt(rate units.Rate) func(*topo.Link) {
	server := fmt.Sprintf("h%d", atpTCPWorkers)
	rate = rate * (testbed.ATPFrame + units.Rate(units.EthernetFraming)) / testbed.ATPFrame
	return func(l *topo.Link) {
		switch server {
		case l.A.Node:
			l.BtoA.Rate = rate
		case l.B.Node:
			l.AtoB.Rate = rate
		}
	}
}

// rate is that at which a run aggregates gradients, in a round, at full scale.
func (x *atpTCP) rate(run, round int) units.Rate {
	return units.Rate(32 * x.runs[run].perSecond(&x.got[run][round]) * atpTCPScale)
}

// over is by how much calls of one run are faster than those of another in the same round.
func (x *atpTCP) over(run, rival int) float64 {
	return x.median(func(round int) float64 { return float64(x.rate(run, round)) / float64(x.rate(rival, round)) })
}

// trained is by how much training is, with the model that gains most, and which that is.
func (x *atpTCP) trained(run, rival int) (best float64, model string) {
	for _, m := range testbed.ATPModels {
		if v := x.median(func(round int) float64 { return x.gain(m, x.rate(run, round), x.rate(rival, round)) }); v > best {
			best, model = v, m
		}
	}
	return best, model
}

// gain is by how much iterations of a model are shorter where gradients are aggregated at one rate in place of
// another, with the compute times of the testbed.
func (x *atpTCP) gain(model string, at, other units.Rate) float64 {
	p, row := testbed.ATPModel(x.env, model)
	trace := p.Trace(p.Compute, row.Bytes()).Fuse(row.Fusion())
	start := units.Microsecond.Scale(x.env.Constants.Get("tensor.start"))
	iteration := func(rate units.Rate) profiles.Timeline {
		return trace.Replay(1, func(n units.Bytes) units.Duration { return start + rate.TimeToSend(n) })
	}
	return iteration(other).Iteration.Seconds() / iteration(at).Iteration.Seconds()
}

func runATPOverTCP(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := newATPTCP(l.env)
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	return x.findings(l), nil
}

func (x *atpTCP) findings(l *lab) (f experiment.Findings) {
	f.Tables = []claims.Table{x.table()}
	what := fmt.Sprintf("%d workers, one server of ATP, whose link is as slow as its copies; %s; median of %d rounds in turns; compute times assumed", atpTCPWorkers, tcpOf(), x.n)
	for id, rival := range map[claims.ID]int{"byteps-nton-tcp": liveNtoN, "byteps-nto1-tcp": liveNto1, "horovod-tcp": liveRing} {
		v, model := x.trained(liveATP, rival)
		other, _ := x.trained(liveATPOther, rival)
		f.Set("atp.fig8."+id, l.say(claims.Number(v).
			Noting("with %s; %.3g on communication alone; %.3g and %.3g by %s; links are the limit here, not what TCP costs a host at 100 Gbit/s", model, x.over(liveATP, rival), other, x.over(liveATPOther, rival), x.runs[liveATPOther].name),
			atpTCPScale, what))
	}
	return f
}

func (x *atpTCP) table() claims.Table {
	t := claims.Table{
		ID: "atp.fig8.live", Title: fmt.Sprintf("Rate at which gradients are aggregated with %d workers on links of %v, MTU %d, and training by it", atpTCPWorkers, testbed.Gigabit100/atpTCPScale, testbed.MTU),
		Columns: []claims.Column{
			{Name: "scheme"}, {Name: "hosts"}, {Name: "tensor", Unit: "int32"}, {Name: "rate at full scale", Unit: "Gbit/s"}, {Name: "ATP over it"}, {Name: "in training"}, {Name: "model"}, {Name: "fidelity"},
		},
		Notes: []string{
			"Medians of rounds; ratios are of runs of one round. Training is replayed with that rate at full scale: of the models of Fig 8 the one that gains most.",
			"The server of ATP copies 60 Gbit/s (ATP section 5.5), of frames or of the gradients in them: its link has no more.",
		},
	}
	for i := range x.runs {
		r := &x.runs[i]
		rate := x.median(func(round int) float64 { return float64(x.rate(i, round)) })
		v, model := x.trained(liveATP, i)
		t.Add(render.Text(r.name), render.Int(r.hosts+job.Servers(r.sys, r.hosts)), render.Int(r.elements), render.Number(rate/1e9, 1),
			render.Number(x.over(liveATP, i), 3), render.Number(v, 3), render.Text(model), render.Text(x.verdicts(i)))
	}
	return t
}
