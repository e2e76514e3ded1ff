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

// switchmlModels are those of SwitchML Table 1.
var switchmlModels = []string{"deeplight", "lstm", "bert", "vgg19", "ugatit", "ncf", "ssd", "resnet50"}

// profileAll returns all rows, by model and link.
func profileAll(e *experiment.Env) (out []testbed.Profiled) {
	for _, m := range switchmlModels {
		for _, l := range testbed.LinkRates {
			out = append(out, testbed.ProfileOf(e, m, l.Name, l.Rate))
		}
	}
	return out
}

// table1 is SwitchML Table 1.
func table1() experiment.Experiment {
	x := experiment.Experiment{
		ID: "switchml.tab1", Title: "share of communication in the batch time of eight models, and the GPU that saturates the network",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Quick:  quickLines,
		Run:    runTable1,
	}
	for _, m := range switchmlModels {
		for _, l := range testbed.LinkRates {
			x.Claims = append(x.Claims, tab1(m, l.Name))
		}
		x.Claims = append(x.Claims, tab1(m, "alpha"))
	}
	return x
}

// otherLink is the row of the same model at the other link, of [profileAll]. What a worker
// computes in an iteration is taken from there: a row's own share of communication says it
// only with what is compared.
func otherLink(i int) int { return i ^ 1 }

func tab1(model, what string) claims.ID { return claims.ID("switchml.tab1." + model + "." + what) }

func runTable1(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	rows := profileAll(e)
	comm, ran, err := communicate(ctx, e, rows)
	if err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{}
	t := claims.Table{
		ID: "switchml.tab1", Title: "Profile of eight models on P100 GPUs, 8 workers",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "link"}, {Name: "size", Unit: "MiB"}, {Name: "compute, from the other link", Unit: "ms"}, {Name: "overlap, from the row", Unit: "%"}, {Name: "switch"},
			{Name: "communication", Unit: "ms"}, {Name: "batch", Unit: "ms"}, {Name: "communication share", Unit: "%"}, {Name: "alpha"},
		},
		Notes: []string{"A GPU computes as long whatever its link is, so compute is what the model's row at the other link leaves beside its communication; share and batch time of a row are not fed in.",
			"Communication: " + testbed.Emulation + ". Alpha: from an assumed layer trace, reading switchml.alpha-method=" + e.Reading("switchml.alpha-method") + ".", lineNote, switchNote},
	}
	for i := range rows {
		r := &rows[i]
		compute := rows[otherLink(i)].Compute
		batch := compute + comm[i].Scale(1-float64(r.Row.Overlap.Used)/100)
		share := comm[i].Seconds() / batch.Seconds()
		alpha := render.NA()
		if r.Link == "100g" {
			a := saturation(e, r, comm[i])
			alpha = render.Number(a, 2)
			m := claims.Number(a)
			f.Set(tab1(r.Profile.Name, "alpha"), m.On("assumed layer trace; link time of SwitchML-256"))
		}
		f.Set(tab1(r.Profile.Name, r.Link), claims.NumberParts(map[string]float64{"comm_pct": 100 * share, "batch_ms": batch.Milliseconds()}).On(testbed.Emulation))
		t.Add(render.Text(r.Profile.Name), render.Text(r.Row.Link.String()), render.Int(r.MiB), render.Number(compute.Milliseconds(), 1),
			render.Percent(float64(r.Row.Overlap.Used)/100), render.Text(ran), render.Number(comm[i].Milliseconds(), 1), render.Number(batch.Milliseconds(), 1), render.Percent(share), alpha)
	}
	f.Tables = []claims.Table{t}
	return f, nil
}

// communicate returns the time of one aggregation of each row's gradient, from the line through two tensors at
// its link rate: times are in proportion to the size (switchml.s6.1.ate-size). It also says what aggregated.
func communicate(ctx context.Context, e *experiment.Env, rows []testbed.Profiled) (out []units.Duration, ran string, err error) {
	var calls []call
	for i := range rows {
		r := &rows[i]
		calls = append(calls, call{name: r.Profile.Name, sys: testbed.SML256, workers: 8, rate: r.Row.Link, mib: r.MiB}.onChip(e))
	}
	at, err := lines(ctx, e, []call{calls[0], calls[1]})
	if err != nil {
		return nil, "", err
	}
	for i := range rows {
		out = append(out, at[i%2].cost(rows[i].Bytes()))
	}
	return out, at[0].ran, nil
}

// traceOf returns the assumed layer trace of a row, in the toolkit's buckets. It is
// held back to the row's overlap where hold says so.
func traceOf(p *testbed.Profiled, line units.Rate, hold bool) profiles.Trace {
	t := p.Profile.Trace(p.Compute, p.Bytes()).Fuse(p.Row.Fusion())
	if hold {
		t = t.Hold(p.Row.Overlap.Used, line)
	}
	return t
}

// saturation returns alpha for a gradient that takes so long on the line.
func saturation(e *experiment.Env, p *testbed.Profiled, comm units.Duration) float64 {
	l := line{each: float64(comm) / float64(p.Bytes())}
	return traceOf(p, l.rate(), e.Reading("switchml.alpha-method") == "held").Saturation(l.cost)
}
