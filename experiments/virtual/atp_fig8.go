package virtual

import (
	"context"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpFig8 is ATP Fig 8, one job on one switch, and Figs 11 and 18, in which epochs are equal, so
// that times to accuracy are to each other as iterations are.
func atpFig8() experiment.Experiment {
	x := experiment.Experiment{
		ID: "atp.fig8", Title: "training throughput of ATP over BytePS, a ring and SwitchML, one job of 8 workers at 100 Gbit/s",
		Switch: []claims.Switch{claims.SwitchPipelineTimed, claims.SwitchReference},
		Claims: []claims.ID{
			"atp.fig8.byteps-nton-rdma", "atp.fig8.horovod-rdma", "atp.fig8.switchml", "atp.fig8.vgg-vs-resnet", "atp.fig8.best-all",
			"atp.fig11.resnet152.trend",
		},
		Quick: quickLines,
		Run:   runATPFig8,
	}
	for _, m := range atpAccuracy {
		x.Claims = append(x.Claims, atpTTA(m))
	}
	return x
}

// atpAccuracy are the models whose time to accuracy has a number.
var atpAccuracy = []string{"alexnet", "vgg16", "vgg19", "resnet50", "resnet101"}

func atpTTA(model string) claims.ID { return claims.ID("atp.fig11." + model + ".tta") }

// Schemes of Fig 8, by the order of atpSchemes. Those behind SwitchML are in tables alone.
const (
	schemeATP = iota
	schemeBytePS
	schemeRing
	schemeSwitchML
	schemeSwitchML256
	schemeOtherCopy
	schemeNoCopy
	schemeBytePSCross
)

// atpRivals are those that ATP is held against, as parts of claims call them.
var atpRivals = map[string]int{"byteps_nton_rdma": schemeBytePS, "horovod_rdma": schemeRing, "switchml": schemeSwitchML}

const atpFig8Model = "simulated calls of ATP and SwitchML on hosts with a packet rate, and of PS and ring over RoCE on hosts whose cores cost nothing; " +
	"assumed layer trace in buckets of 25 MiB, compute times assumed"

// atpSchemes returns a call of each.
func atpSchemes(e *experiment.Env) []call {
	host, rdma := testbed.ATPHost(e), e.Constants.RDMA()
	ina := testbed.ATP(e)
	other := map[string]string{"frames": "payload", "payload": "frames"}[e.Reading("atp.copy")]
	otherCopy, noCopy := ina, ina
	otherCopy.Copy, noCopy.Copy = testbed.ATPCopy(e, other), 0
	nsdi := testbed.InATP()
	nsdi.Elements = 256
	return []call{
		schemeATP:         onATP(e, "ATP", ina, host),
		schemeBytePS:      onATP(e, "BytePS NtoN, RDMA", psRoCE, rdma),
		schemeRing:        onATP(e, "ring, RDMA", ringRoCE, rdma),
		schemeSwitchML:    onATP(e, "SwitchML, 180 bytes", testbed.InATP(), host),
		schemeSwitchML256: onATP(e, "SwitchML-256", nsdi, host),
		schemeOtherCopy:   onATP(e, "ATP, copies counted in "+other, otherCopy, host),
		schemeNoCopy:      onATP(e, "ATP, copies at once", noCopy, host),
		schemeBytePSCross: onATP(e, "BytePS NtoN, RDMA, own shard over the network", psRoCECross, rdma),
	}
}

// trained is iterations of all models by all schemes.
type trained struct {
	env   *experiment.Env
	calls []call
	at    []line
	times map[string][]profiles.Timeline // by model, and scheme
	plain map[string][]profiles.Timeline // the same where nothing is sent before all is computed
}

func newTrained(ctx context.Context, e *experiment.Env) (*trained, error) {
	t := &trained{env: e, calls: atpSchemes(e), times: map[string][]profiles.Timeline{}, plain: map[string][]profiles.Timeline{}}
	var err error
	if t.at, err = lines(ctx, e, t.calls); err != nil {
		return nil, err
	}
	for _, m := range testbed.ATPModels {
		p, row := testbed.ATPModel(e, m)
		trace := p.Trace(p.Compute, row.Bytes())
		for scheme := range t.at {
			cost := t.cost(scheme)
			t.times[m] = append(t.times[m], trace.Fuse(row.Fusion()).Replay(1, cost))
			t.plain[m] = append(t.plain[m], trace.Fuse(row.Bytes()).Replay(1, cost))
		}
	}
	return t, nil
}

// cost is what a tensor takes of a scheme.
func (t *trained) cost(scheme int) profiles.Cost {
	start, l := units.Microsecond.Scale(t.env.Constants.Get("tensor.start")), t.at[scheme]
	return func(n units.Bytes) units.Duration { return start + l.cost(n) }
}

// gain is by how much an iteration of ATP is shorter than one of a scheme.
func gain(at []profiles.Timeline, scheme int) float64 {
	return at[scheme].Iteration.Seconds() / at[schemeATP].Iteration.Seconds()
}

// over is ATP's throughput of a model over that of another scheme.
func (t *trained) over(model string, scheme int) float64 { return gain(t.times[model], scheme) }

// best is the largest of all models.
func (t *trained) best(scheme int) (top float64) {
	for _, m := range testbed.ATPModels {
		top = max(top, t.over(m, scheme))
	}
	return top
}

// bestOfOther is the same in the other reading of the server's copy.
func (t *trained) bestOfOther(scheme int) (top float64) {
	for _, at := range t.times {
		top = max(top, at[scheme].Iteration.Seconds()/at[schemeOtherCopy].Iteration.Seconds())
	}
	return top
}

// overCalls is the same of communication alone.
func (t *trained) overCalls(scheme int) float64 { return t.at[scheme].each / t.at[schemeATP].each }

func runATPFig8(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	t, err := newTrained(ctx, e)
	if err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{t.callTable(), t.table(), t.endTable()}}
	for id, scheme := range map[claims.ID]int{"byteps-nton-rdma": schemeBytePS, "horovod-rdma": schemeRing, "switchml": schemeSwitchML} {
		f.Set("atp.fig8."+id, claims.Number(t.best(scheme)).On(atpFig8Model).
			Noting("%.3g on communication alone; %.3g by %s", t.overCalls(scheme), t.bestOfOther(scheme), t.calls[schemeOtherCopy].name))
	}
	gains, all := map[string]claims.Measured{}, map[string]float64{}
	for name, scheme := range atpRivals {
		gains[name] = claims.Ranking(map[string]float64{"vgg16": t.over("vgg16", scheme), "resnet50": t.over("resnet50", scheme)})
	}
	for _, m := range testbed.ATPModels {
		all[m] = min(t.over(m, schemeBytePS), t.over(m, schemeRing), t.over(m, schemeSwitchML))
	}
	f.Set("atp.fig8.vgg-vs-resnet", claims.Group(gains).On(atpFig8Model))
	f.Set("atp.fig8.best-all", claims.NumberParts(all).On(atpFig8Model))
	for _, m := range atpAccuracy {
		f.Set(atpTTA(m), claims.Number(t.over(m, schemeBytePS)).On(atpFig8Model))
	}
	f.Set("atp.fig11.resnet152.trend", claims.Number(t.over("resnet152", schemeBytePS)).On(atpFig8Model))
	return f, nil
}

// callTable is what calls take.
func (t *trained) callTable() claims.Table {
	out := claims.Table{
		ID: "atp.fig8.calls", Title: "Rate at which long tensors are aggregated, 8 workers at 100 Gbit/s",
		Columns: []claims.Column{{Name: "scheme"}, {Name: "switch"}, {Name: "rate of gradients", Unit: "Gbit/s"}, {Name: "of a call, whatever its size", Unit: "us"}, {Name: "ATP over it"}},
		Notes:   []string{"SwitchML of 180 bytes is as ATP's authors built it, with as many packets in flight as ATP; SwitchML-256 is that of NSDI 2021 on the same hosts.", atpSwitchNote},
	}
	for i := range t.calls {
		l := t.at[i]
		out.Add(render.Text(t.calls[i].name), render.Text(l.ran), render.Number(float64(l.rate())/1e9, 1), render.Number(float64(l.fixed)/float64(units.Microsecond), 1), render.Number(t.overCalls(i), 3))
	}
	return out
}

func (t *trained) table() claims.Table {
	out := claims.Table{
		ID: "atp.fig8", Title: "Training throughput of ATP over that of others, by model",
		Columns: []claims.Column{{Name: "model"}, {Name: "compute", Unit: "ms"}, {Name: "iteration with ATP", Unit: "ms"}, {Name: "communication hidden", Unit: "%"}},
		Notes: []string{
			atpFig8Model + ": at half of the 13.4 TFLOP/s of the GPU, batches of 64. The framework takes tensor.start for a call.",
			"None hidden: nothing is sent before all is computed. The last two are the throughput of such an ATP over the one of the other columns.",
		},
	}
	rivals := []int{schemeBytePS, schemeRing, schemeSwitchML, schemeSwitchML256}
	for _, s := range rivals {
		out.Columns = append(out.Columns, claims.Column{Name: "over " + t.calls[s].name}, claims.Column{Name: t.calls[s].name + ", none hidden"})
	}
	out.Columns = append(out.Columns, claims.Column{Name: t.calls[schemeOtherCopy].name}, claims.Column{Name: t.calls[schemeNoCopy].name})
	for _, m := range testbed.ATPModels {
		when := t.times[m][schemeATP]
		row := []render.Cell{
			render.Text(m), render.Number(when.Compute.Milliseconds(), 0), render.Number(when.Iteration.Milliseconds(), 1), render.Percent(when.Hidden.Seconds() / when.Comm.Seconds()),
		}
		for _, s := range rivals {
			row = append(row, render.Number(t.over(m, s), 3), render.Number(gain(t.plain[m], s), 3))
		}
		out.Add(append(row, render.Number(1/t.over(m, schemeOtherCopy), 3), render.Number(1/t.over(m, schemeNoCopy), 3))...)
	}
	return out
}
