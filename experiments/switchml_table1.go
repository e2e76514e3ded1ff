package experiments

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// switchmlModels are those of SwitchML Table 1.
var switchmlModels = []string{"deeplight", "lstm", "bert", "vgg19", "ugatit", "ncf", "ssd", "resnet50"}

// linkRates are those of SwitchML Table 1, as claims call them.
var linkRates = []struct {
	name string
	rate units.Rate
}{{"10g", gigabit10}, {"100g", gigabit100}}

// profiled is a row of Table 1 with the inputs that follow from it.
type profiled struct {
	profile    profiles.Profile
	row        profiles.Row
	link       string // "10g"
	mib        int
	compute    units.Duration
	borrowed   bool // the compute time is that of the other link's row
	least, top units.Duration
}

// bytes returns the size of the gradient.
func (p *profiled) bytes() units.Bytes { return units.Bytes(p.mib) * units.MiB }

// profileOf returns the inputs of a model at a link rate.
func profileOf(e *Env, model, link string, rate units.Rate) (profiled, error) {
	p, err := profiles.Lookup(model)
	if err != nil {
		return profiled{}, err
	}
	row, ok := p.Row(profiles.SwitchML, rate)
	if !ok {
		return profiled{}, fmt.Errorf("%s has no row of SwitchML Table 1 at %v", model, rate)
	}
	out := profiled{profile: p, row: row, link: link, mib: row.Size.Used}
	if e.Reading("switchml.size-swap") == "printed" {
		out.mib = row.Size.Printed
	}
	from := row
	if from.Comm == 0 { // withheld
		from, _ = p.Row(profiles.SwitchML, gigabit10)
		out.borrowed = true
	}
	out.compute, _ = from.Compute()
	out.least, out.top = from.ComputeBounds()
	return out, nil
}

// profileAll returns all rows, by model and link.
func profileAll(e *Env) (out []profiled, err error) {
	for _, m := range switchmlModels {
		for _, l := range linkRates {
			p, err := profileOf(e, m, l.name, l.rate)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// table1 is SwitchML Table 1.
func table1() Experiment {
	x := Experiment{
		ID: "switchml.tab1", Title: "share of communication in the batch time of eight models, and the GPU that saturates the network",
		Predicts: []claims.ID{"switchml.tab1.bert.100g"},
		Quick:    quickLines + "; in full each model is simulated whole",
		Run:      runTable1,
	}
	for _, m := range switchmlModels {
		for _, l := range linkRates {
			if m == "bert" && l.name == "100g" {
				continue
			}
			x.Claims = append(x.Claims, tab1(m, l.name))
		}
		x.Claims = append(x.Claims, tab1(m, "alpha"))
	}
	return x
}

func tab1(model, what string) claims.ID { return claims.ID("switchml.tab1." + model + "." + what) }

// emulation says what stands for the paper's emulation of communication.
const emulation = "the gradient once through SwitchML-256 with 8 workers whose hosts cost nothing; compute time and overlap are the row's"

func runTable1(ctx context.Context, e *Env) (Findings, error) {
	rows, err := profileAll(e)
	if err != nil {
		return Findings{}, err
	}
	comm, err := communicate(ctx, e, rows)
	if err != nil {
		return Findings{}, err
	}
	f := Findings{}
	t := claims.Table{
		ID: "switchml.tab1", Title: "Profile of eight models on P100 GPUs, 8 workers",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "link"}, {Name: "size", Unit: "MiB"}, {Name: "compute, from the row", Unit: "ms"}, {Name: "overlap, from the row", Unit: "%"},
			{Name: "communication", Unit: "ms"}, {Name: "batch", Unit: "ms"}, {Name: "communication share", Unit: "%"}, {Name: "alpha"},
		},
		Notes: []string{"Communication: " + emulation + ". Alpha: from an assumed layer trace, reading switchml.alpha-method=" + e.Reading("switchml.alpha-method") + "."},
	}
	for i := range rows {
		r := &rows[i]
		batch := r.compute + comm[i].Scale(1-float64(r.row.Overlap.Used)/100)
		share := comm[i].Seconds() / batch.Seconds()
		alpha := render.NA()
		if r.link == "100g" {
			a := r.saturation(e, comm[i])
			alpha = render.Number(a, 2)
			m := claims.Number(a)
			m.Model = "assumed layer trace; link time of SwitchML-256"
			f.Set(tab1(r.profile.Name, "alpha"), m)
		}
		if r.borrowed {
			f.Predict(tab1(r.profile.Name, r.link), r.predictShare(comm[i]))
		} else {
			m := claims.Group(map[string]claims.Measured{"comm_pct": claims.Number(100 * share), "batch_ms": claims.Number(batch.Milliseconds())})
			m.Model = emulation
			f.Set(tab1(r.profile.Name, r.link), m)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.profile.Name), render.Text(r.row.Link.String()), render.Int(r.mib), render.Number(r.compute.Milliseconds(), 1),
			render.Percent(float64(r.row.Overlap.Used) / 100), render.Number(comm[i].Milliseconds(), 1), render.Number(batch.Milliseconds(), 1), render.Percent(share), alpha,
		})
	}
	f.Tables = []claims.Table{t}
	return f, nil
}

// communicate returns the time of one aggregation of each row's gradient: each
// whole, or in a quick run from the line through two tensors.
func communicate(ctx context.Context, e *Env, rows []profiled) ([]units.Duration, error) {
	var calls []call
	for i := range rows {
		r := &rows[i]
		calls = append(calls, call{name: r.profile.Name, sys: sml256, workers: 8, rate: r.row.Link, mib: r.mib})
	}
	if !e.Quick {
		return aggregate(ctx, e, calls)
	}
	at, err := lines(ctx, e, []call{calls[0], calls[1]})
	if err != nil {
		return nil, err
	}
	var out []units.Duration
	for i := range rows {
		out = append(out, at[i%2].cost(rows[i].bytes()))
	}
	return out, nil
}

// trace returns the assumed layer trace of a row, in the toolkit's buckets. It is
// held back to the row's overlap where hold says so.
func (p *profiled) trace(line units.Rate, hold bool) profiles.Trace {
	t := p.profile.Trace(p.compute, p.bytes()).Fuse(p.row.Fusion())
	if hold {
		t = t.Hold(p.row.Overlap.Used, line)
	}
	return t
}

// saturation returns alpha for a gradient that takes so long on the line.
func (p *profiled) saturation(e *Env, comm units.Duration) float64 {
	l := line{each: float64(comm) / float64(p.bytes())}
	return p.trace(l.rate(), e.Reading("switchml.alpha-method") == "held").Saturation(l.cost)
}

// predictShare returns the interval of a share of communication that the paper
// withholds: over the printed batch time at one end, over the batch time that
// follows from the compute time of the other link's row at the other, each with
// what printing has rounded off.
func (p *profiled) predictShare(comm units.Duration) claims.Prediction {
	const half = units.Millisecond / 2
	low, high := 100.0, 0.0
	see := func(batch units.Duration) {
		share := 100 * comm.Seconds() / batch.Seconds()
		low, high = min(low, share), max(high, share)
	}
	see(p.row.BatchTime - half)
	see(p.row.BatchTime + half)
	overlap := float64(p.row.Overlap.Used)
	see(p.least + comm.Scale(1-(overlap+0.5)/100))
	see(p.top + comm.Scale(1-(overlap-0.5)/100))
	return claims.Prediction{
		Low: low, High: high, Model: emulation,
		Note: "over the printed batch time, and over the one that the compute time of the 10 Gbit/s row makes; rounding of the prints included",
	}
}
