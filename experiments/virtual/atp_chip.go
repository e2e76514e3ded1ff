package virtual

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// Claims: that nothing differs without time, and by how much points differ with it.
const (
	atpChipSame = "atp.s4.chip-same"
	atpChipTime = "atp.s4.chip-time"
)

// atpChip runs a point of each of ATP's figures on the reference program, and on the program of the emulated Tofino,
// without time and, as the figures do, with it.
func atpChip() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.chip", Title: "a point of each figure of ATP on the reference program and on the emulated Tofino, with time and without",
		Switch: []claims.Switch{claims.SwitchReference, claims.SwitchPipeline, claims.SwitchPipelineTimed},
		Claims: []claims.ID{atpChipSame, atpChipTime},
		Quick:  fmt.Sprintf("tensors of %d MiB in place of %d", chipQuickMiB, chipMiB),
		Run:    runATPChip,
	}
}

// Loads of points: tensors behind each other and nothing to compute, which would hide what switches take.
const (
	chipMiB      = 4
	chipQuickMiB = 1
	chipTensors  = 3
)

// chipPoint is a point of a figure.
type chipPoint struct {
	part  string // of the claim
	what  string
	unit  string
	set   func(*experiment.Env, atp.Pipe) (*job.Set, error) // of jobs whose switches run it
	value func([]result.Cell) float64
}

// chipPrograms are what switches run, the reference program first.
var chipPrograms = [...]atp.Pipe{{}, {Pipeline: true}, {Pipeline: true, Timed: true, Links: true}}

// onPipe returns a system, if it is ATP, with what its switches run.
func onPipe(sys job.System, p atp.Pipe) job.System {
	if s, ok := sys.(atp.System); ok {
		s.Pipe = p
		return s
	}
	return sys
}

// pointOfLab is a lab of a figure with tensors in place of its models. Packets have all their values: a chip
// works on nothing less. Links have what any packet takes from port to port, those of TCP too.
func pointOfLab(part, what string, lab func(*experiment.Env) tenantLab) chipPoint {
	set := func(e *experiment.Env, p atp.Pipe) (*job.Set, error) {
		l := lab(e)
		l.whole, l.inside = true, testbed.SwitchTime(e)
		if p.Timed {
			p.Mark = l.marks * cellsOfATP
		}
		for i := range l.jobs {
			j := &l.jobs[i]
			j.sys, j.model, j.mib, j.iterations = onPipe(j.sys, p), "", experiment.Cut(e, chipMiB, chipQuickMiB), chipTensors
		}
		return l.set(e)
	}
	return chipPoint{part, what, "ms", set, func(c []result.Cell) float64 { return warmMean(c).Milliseconds() }}
}

// pointOfCall is a call of one tensor, likewise.
func pointOfCall(part, what string, mib int, of func(*experiment.Env) call) chipPoint {
	set := func(e *experiment.Env, p atp.Pipe) (*job.Set, error) {
		c := of(e)
		c.whole, c.mib, c.sys = true, mib*experiment.Cut(e, chipMiB, chipQuickMiB), onPipe(c.sys, p)
		j, err := c.job(e)
		if err != nil {
			return nil, err
		}
		return job.NewSet(j)
	}
	return chipPoint{part, what, "ms", set, func(c []result.Cell) float64 { return testbed.Took(c[0].Samples, 0).Milliseconds() }}
}

// chipPoints are those of the figures, in their order.
func chipPoints() []chipPoint {
	traffic := pointOfLab("fig9", "three racks of two workers, two levels: packets at the server", func(e *experiment.Env) tenantLab { return serverTrafficLab(e, atp.TwoLevels) })
	traffic.unit, traffic.value = "packets", func(c []result.Cell) float64 { return float64(summed(&c[0], atpps.CountPackets)) }
	pair := pairing{workers: [2]int{5, 2}, models: [2]string{"vgg16", "vgg16"}}
	return []chipPoint{
		pointOfCall("fig8", "one job of 8 workers", 2, func(e *experiment.Env) call { return atpSchemes(e)[schemeATP] }),
		traffic,
		pointOfCall("fig10", "loss of 1% on the link of one of 8 workers, no congestion control", 2, func(e *experiment.Env) call {
			c := newFig10(e).atp.call
			c.first = 1e-2
			return c
		}),
		pointOfLab("fig12", "two jobs over one link", func(e *experiment.Env) tenantLab {
			return fig12Lab(e, copyingTenant(e), threshold(e))
		}),
		pointOfLab("fig13a", "three jobs on half of the paper's 1980 aggregators", func(e *experiment.Env) tenantLab {
			return fig13Lab(e, atpTenant(e, span13b*fig13Jobs/2, span13b), nil)
		}),
		pointOfLab("fig13b", "three jobs that move what collides, table with room", func(e *experiment.Env) tenantLab {
			return fig13Lab(e, atpTenant(e, int(math.Ceil(span13b*fig13Jobs/load13b)), span13b), nil)
		}),
		pointOfLab("fig14", "four jobs, hashed indexes", func(e *experiment.Env) tenantLab {
			const jobs = 4
			return fig14Lab(e, hashed.system(e, span13b, jobs), jobs)
		}),
		pointOfLab("fig15", "eight workers on half of the aggregators, congestion control", func(e *experiment.Env) tenantLab {
			sys := fig15System(e, span13b/2)
			sys.Span = span13b
			return fig15Lab(e, sys, threshold(e), chipTensors)
		}),
		pointOfLab("fig16", "six workers, one of which shares its line with TCP", func(e *experiment.Env) tenantLab {
			r := fig16{start: units.Millisecond}
			return r.lab(e, 1)
		}),
		pointOfCall("fig19", "two workers, packets of two passes", 4, func(e *experiment.Env) call {
			c := onATP(e, "ATP", testbed.ATP(e), testbed.ATPHost(e))
			c.workers = fewestWorkers
			return c
		}),
		pointOfLab("d2", "jobs of five and of two workers", func(e *experiment.Env) tenantLab { return pair.lab(e, 0, 1) }),
	}
}

// chipRun is what a point came to, by program.
type chipRun struct {
	value  [len(chipPrograms)]float64
	passes [len(chipPrograms)]uint64
	back   [len(chipPrograms)]uint64 // packets through the port inside
	differ [len(chipPrograms)]uint64 // sums that were dropped
	resent [len(chipPrograms)]uint64 // packets of the first job
}

// differs is by how many percent a program differs from the reference program.
func (r *chipRun) differs(program int) float64 { return 100 * (r.value[program]/r.value[0] - 1) }

// runChipPoints simulates all points on all programs, as many at a time as there are processors.
func runChipPoints(ctx context.Context, e *experiment.Env, points []chipPoint) ([]chipRun, error) {
	n := len(chipPrograms)
	sets := make([]*job.Set, n*len(points))
	for i := range sets { // here, since an Env is for one goroutine
		var err error
		if sets[i], err = points[i/n].set(e, chipPrograms[i%n]); err != nil {
			return nil, fmt.Errorf("%s: %w", points[i/n].part, err)
		}
	}
	out := make([]chipRun, len(points))
	return out, experiment.Parallel(len(sets), func(i int) error {
		p, r, program := &points[i/n], &out[i/n], i%n
		cells, err := runSet(ctx, sets[i])
		if err != nil {
			return fmt.Errorf("%s: %w", p.part, err)
		}
		r.value[program], r.resent[program] = p.value(cells), cells[0].Resent.Packets
		r.back[program], r.differ[program] = endingIn(&cells[0], pipeline.CountRecirculate), endingIn(&cells[0], pipeline.CountDiffer)
		if r.passes[program] = endingIn(&cells[0], tofino.CountPasses); (r.passes[program] > 0) != chipPrograms[program].Pipeline {
			return fmt.Errorf("%s: %d passes of a chip: switches ran another program than they should", p.part, r.passes[program])
		}
		return nil
	})
}

func runATPChip(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	points := chipPoints()
	runs, err := runChipPoints(ctx, e, points)
	if err != nil {
		return f, err
	}
	same, timed := map[string]float64{}, map[string]float64{}
	for i := range runs {
		same[points[i].part], timed[points[i].part] = math.Abs(runs[i].differs(1)), math.Abs(runs[i].differs(2))
	}
	f.Set(atpChipSame, claims.NumberParts(same).On("emulated Tofino without time, and the reference program; nothing is computed"))
	f.Set(atpChipTime, claims.NumberParts(timed).On("emulated Tofino with time, and the reference program behind links as much longer; nothing is computed"))
	f.Tables = []claims.Table{chipPointTable(points, runs)}
	return f, nil
}

func chipPointTable(points []chipPoint, runs []chipRun) claims.Table {
	t := claims.Table{
		ID: "atp.chip", Title: "Points of ATP's figures on the reference program and on the emulated Tofino",
		Columns: []claims.Column{
			{Name: "figure"}, {Name: "point"}, {Name: "unit"}, {Name: "reference program"}, {Name: "chip"}, {Name: "difference", Unit: "%"},
			{Name: "chip with time"}, {Name: "difference with time", Unit: "%"}, {Name: "passes"},
			{Name: "by the port inside"}, {Name: "sums dropped"}, {Name: "sent again"}, {Name: "sent again on the reference program"},
		},
		Notes: []string{
			"Times are those of a tensor: nothing is computed, so that several jobs ask for more than the port inside has. The other experiments on figures of ATP run the chip with time.",
			"With time a packet that is added takes two passes, the second in the place of another. All have tofino.latency from port to port.",
			"Sums, collisions and resends come back by the port inside, of 100 Gbit/s, whose queue marks as others do. Sums are dropped if their halves differ for long.",
		},
	}
	for i := range points {
		p, r := &points[i], &runs[i]
		t.Add(render.Text(p.part), render.Text(p.what), render.Text(p.unit), render.Number(r.value[0], 4), render.Number(r.value[1], 4), render.Number(r.differs(1), 2),
			render.Number(r.value[2], 4), render.Number(r.differs(2), 2), render.Int(r.passes[2]),
			render.Int(int(r.back[2])), render.Int(int(r.differ[2])), render.Int(int(r.resent[2])), render.Int(int(r.resent[0])))
	}
	return t
}
