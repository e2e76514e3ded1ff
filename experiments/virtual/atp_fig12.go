package virtual

import (
	"context"
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpFig12 is ATP Fig 12: two jobs over a link that they share.
func atpFig12() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig12", Title: "two VGG16 jobs whose workers are on both sides of a link of 100 Gbit/s",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"atp.fig12.byteps", "atp.fig12.horovod", "atp.fig12.equal-jobs"},
		Quick:  "a 132nd of the model and of its compute time in place of a 66th",
		Run:    runATPFig12,
	}
}

// crossing is the two jobs on one system.
type crossing struct {
	name string
	jobs [2]units.Duration // iteration
}

func (c *crossing) faster() units.Duration { return min(c.jobs[0], c.jobs[1]) }
func (c *crossing) mean() units.Duration   { return (c.jobs[0] + c.jobs[1]) / 2 }

// ratio is the time of the first job to that of the second.
func (c *crossing) ratio() float64 { return c.jobs[0].Seconds() / c.jobs[1].Seconds() }

// fig12Lab is two workers of each job on the left, and one on the right beside the server, if there is
// one on a host of its own (assumed: the paper does not say who is where).
func fig12Lab(e *experiment.Env, sys job.System, marks int) tenantLab {
	l := tenantLab{topology: "dumbbell", hosts: 8, marks: marks}
	for k := range 2 {
		j := tenantJob{sys: sys, id: uint8(1 + k), on: []int{2 * k, 2*k + 1, 4 + 2*k}, model: "vgg16", cut: experiment.Cut(e, 66, 132), iterations: 4}
		if job.Servers(sys, len(j.on)) > 0 {
			j.server = []int{5 + 2*k}
		}
		l.jobs = append(l.jobs, j)
	}
	return l
}

// fig12Labs are ATP, what it is held against, and ATP where the paper says nothing, one thing at a
// time.
func fig12Labs(e *experiment.Env) (list []crossing, labs []tenantLab) {
	add := func(name string, sys job.System, marks int) {
		list, labs = append(list, crossing{name: name}), append(labs, fig12Lab(e, sys, marks))
	}
	sys := copyingTenant(e)
	taken := sys
	end := func(name string, marks int, change func(*atp.System)) {
		s := taken
		if change(&s); s != taken || marks != threshold(e) {
			add("ATP, "+name, s, marks)
		}
	}
	add("ATP", sys, threshold(e))
	add("BytePS, servers beside workers, RDMA", ps.System{Transport: stream.RoCE}, threshold(e))
	add("Horovod, RDMA", ringRoCE, threshold(e))
	end("marks above 20", 20, func(*atp.System) {})
	end("marks above 200", 200, func(*atp.System) {})
	end("growth: doubling", threshold(e), func(s *atp.System) { s.Doubling = true })
	end("threshold: start", threshold(e), func(s *atp.System) { s.Avoidance = true })
	end("halving: ack", threshold(e), func(s *atp.System) { s.EachMark = true })
	end("12 threads", threshold(e), func(s *atp.System) { s.Threads = publicThreads })
	end("copy without limit", threshold(e), func(s *atp.System) { s.Copy = 0 })
	end("window of 660, no congestion control", threshold(e), func(s *atp.System) { s.Fixed, s.Window = true, shareWindow })
	return list, labs
}

func runATPFig12(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	list, labs := fig12Labs(e)
	cells, err := together(ctx, e, labs)
	if err != nil {
		return f, err
	}
	for i := range list {
		list[i].jobs = [2]units.Duration{warm(&cells[i][0]), warm(&cells[i][1])}
	}
	const model = "two workers of each job on the left of the link, one and the server on the right; queues of 64 MiB in place of pauses; time to accuracy as that of an iteration"
	own, byteps, horovod, compute := &list[0], &list[1], &list[2], labs[0].jobs[0].profile(e).Compute
	f.Set("atp.fig12.byteps", fig12Gain(byteps.faster(), compute, list).On(model))
	f.Set("atp.fig12.horovod", fig12Gain(horovod.mean(), compute, list).On(model))
	f.Set("atp.fig12.equal-jobs", claims.NumberParts(map[string]float64{"atp": own.ratio(), "horovod": horovod.ratio()}).On(model).Noting("BytePS: %.3f", byteps.ratio()))
	t := claims.Table{
		ID: "atp.fig12", Title: "Time of an iteration of two jobs that share a link",
		Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "first job", Unit: "ms"}, {Name: "second job", Unit: "ms"}},
		Notes:   []string{fmt.Sprintf("%.3f ms of an iteration are compute.", compute.Milliseconds()), atpSwitchNote},
	}
	for i := range list {
		t.Add(render.Text(list[i].name), render.Text(labs[i].ran), render.Number(list[i].jobs[0].Milliseconds(), 3), render.Number(list[i].jobs[1].Milliseconds(), 3))
	}
	f.Tables = append(f.Tables, t)
	return f, nil
}

// fig12Gain is by how much ATP is faster than another one, with what it would be at the ends of what the paper
// says nothing of, and if its communication took no time at all.
func fig12Gain(other, compute units.Duration, list []crossing) claims.Measured {
	gain := func(c *crossing) float64 { return other.Seconds() / c.mean().Seconds() }
	var ends []string
	for i := range list[3:] {
		ends = append(ends, fmt.Sprintf("%s: %.3g", list[3+i].name, gain(&list[3+i])))
	}
	return claims.Number(gain(&list[0])).Noting("%s; if communication took no time: %.3g", strings.Join(ends, "; "), other.Seconds()/compute.Seconds())
}
