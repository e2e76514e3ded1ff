package virtual

import (
	"context"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpD2 is ATP App D.2 with Fig 20: what two jobs lose beside each other.
func atpD2() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig20", Title: "two jobs in one switch, and each of them alone",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"atp.fig20.two-vgg16", "atp.d2.5v2-workers", "atp.d2.vgg-resnet"},
		Quick:  "a 96th of the models and of their compute times in place of a 48th",
		Run:    runATPD2,
	}
}

// pairing is two jobs of App D.2.
type pairing struct {
	name    string
	workers [2]int
	models  [2]string

	alone, beside [2]units.Duration // iteration
	ran           string            // what aggregated
}

// loss is the percent of throughput that a job loses.
func (p *pairing) loss(job int) float64 {
	return 100 * (1 - p.alone[job].Seconds()/p.beside[job].Seconds())
}

// lab is the jobs of the pairing that are named, at the same hosts whether the other is there or not.
func (p *pairing) lab(e *experiment.Env, jobs ...int) tenantLab {
	l := tenantLab{hosts: p.workers[0] + p.workers[1] + 2, marks: threshold(e), queue: int(e.Constants.Get("atp.queue"))}
	sys := copyingTenant(e)
	for _, k := range jobs {
		first := k * (p.workers[0] + 1)
		j := tenantJob{sys: sys, id: uint8(1 + k), model: p.models[k], cut: experiment.Cut(e, 48, 96), iterations: 4}
		for w := range p.workers[k] {
			j.on = append(j.on, first+w)
		}
		j.server = []int{first + p.workers[k]}
		l.jobs = append(l.jobs, j)
	}
	return l
}

func runATPD2(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	pairs := []pairing{
		{name: "two of VGG16", workers: [2]int{3, 3}, models: [2]string{"vgg16", "vgg16"}},
		{name: "five and two workers", workers: [2]int{5, 2}, models: [2]string{"vgg16", "vgg16"}},
		{name: "VGG16 and ResNet50", workers: [2]int{3, 3}, models: [2]string{"vgg16", "resnet50"}},
	}
	var labs []tenantLab
	for i := range pairs {
		labs = append(labs, pairs[i].lab(e, 0), pairs[i].lab(e, 1), pairs[i].lab(e, 0, 1))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return f, err
	}
	for i := range pairs {
		p, c := &pairs[i], cells[3*i:]
		p.alone = [2]units.Duration{warm(&c[0][0]), warm(&c[1][0])}
		p.ran = labs[3*i+2].ran
		p.beside = [2]units.Duration{warm(&c[2][0]), warm(&c[2][1])}
	}
	const model = "a server of its own for each job, which copies 60 Gbit/s, and a table of 20000 aggregators"
	two, mixed, other := &pairs[0], &pairs[1], &pairs[2]
	f.Set("atp.fig20.two-vgg16", claims.NumberParts(map[string]float64{
		"difference": 100 * math.Abs(two.beside[0].Seconds()/two.beside[1].Seconds()-1), "loss_job1": two.loss(0), "loss_job2": two.loss(1),
	}).On(model))
	f.Set("atp.d2.5v2-workers", claims.NumberParts(map[string]float64{"w5_over_w2_x": mixed.beside[1].Seconds() / mixed.beside[0].Seconds()}).On(model))
	f.Set("atp.d2.vgg-resnet", claims.NumberParts(map[string]float64{"vgg16": other.loss(0), "resnet50": other.loss(1)}).On(model))
	f.Tables = append(f.Tables, pairTable(pairs))
	return f, nil
}

func pairTable(pairs []pairing) claims.Table {
	t := claims.Table{
		ID: "atp.fig20", Title: "Time of an iteration of two jobs, alone and beside each other",
		Columns: []claims.Column{{Name: "jobs"}, {Name: "switch"}, {Name: "job"}, {Name: "workers"}, {Name: "alone", Unit: "ms"}, {Name: "beside the other", Unit: "ms"}, {Name: "loss", Unit: "%"}},
		Notes:   []string{insideNote},
	}
	for i := range pairs {
		p := &pairs[i]
		for k := range p.alone {
			t.Add(render.Text(p.name), render.Text(p.ran), render.Int(k+1), render.Int(p.workers[k]), render.Number(p.alone[k].Milliseconds(), 3), render.Number(p.beside[k].Milliseconds(), 3), render.Number(p.loss(k), 2))
		}
	}
	return t
}
