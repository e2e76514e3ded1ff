package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// twoSwitchMLJobs is jobs beside each other in one switch (SwitchML §7).
func twoSwitchMLJobs() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s7.multi-job", Title: "two SwitchML jobs in one switch: sums on real packets, rates in virtual time, and parts of the pool",
		Switch: []claims.Switch{claims.SwitchPipeline, claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s7.multi-job"},
		Live:   true, Quick: "4 of 12 all-reduces of each job; an eighth of the tensor in virtual time",
		Run: onLab(runShared),
	}
}

// sharedWorkers are the workers of each job.
const sharedWorkers = 3

// sharedRun is the two jobs, both of which call their slots by the same numbers: under
// the virtual clock on links of a rate, or live, where that is 0.
func sharedRun(e *experiment.Env, virtual units.Rate) (*job.Set, error) {
	run := liveRun{
		topology: "rack", hosts: 2 * sharedWorkers, mtu: testbed.MTU, rate: testbed.Gigabit100, scale: countScale, elements: rackElements, iterations: experiment.Cut(e, 12, 4),
		sys: switchml.System{Elements: 256, Slots: slowPool, Unscaled: true, Pipe: testbed.OnPipe},
	}
	if virtual > 0 {
		run.rate, run.scale, run.iterations, run.elements = virtual, 1, 1, experiment.Cut(e, 1<<20, 1<<17)
		run.sys = switchml.System{Elements: 256, Pipe: testbed.TimedPipe(e)}
	}
	lay := func(i int) func(*job.Spec) {
		return func(s *job.Spec) {
			s.Virtual, s.Seed = virtual > 0, e.Seed+rng.Root(i) // other tensors
			for w := range sharedWorkers {
				s.On = append(s.On, 2*w+i) // turn and turn about
			}
		}
	}
	return run.layTogether(e, lay(0), lay(1))
}

func runShared(ctx context.Context, l *lab) (experiment.Findings, error) {
	pool, err := chip.SharedPool()
	if err != nil {
		return experiment.Findings{}, err
	}
	var rates []besides
	for _, r := range testbed.LinkRates {
		b, err := rateBeside(ctx, l.env, r.Rate)
		if err != nil {
			return experiment.Findings{}, err
		}
		rates = append(rates, b)
	}
	set, err := sharedRun(l.env, 0)
	if err != nil {
		return experiment.Findings{}, err
	}
	seen, err := l.together(ctx, "two SwitchML jobs in one switch", set, nil)
	if err != nil {
		return experiment.Findings{}, err
	}
	memory, err := chip.MemoryShare(switchml.DefaultSlots)
	if err != nil {
		return experiment.Findings{}, err
	}
	return sharedFindings(l, pool, rates, seen, memory)
}

// besides is how long the tensor of each job takes under the virtual clock.
type besides struct {
	rate            units.Rate // of links
	alone, together units.Duration
}

// kept returns the rate beside the other job, to that alone.
func (b *besides) kept() float64 { return b.alone.Seconds() / b.together.Seconds() }

// rateBeside runs the jobs alone, and both at the same time, on a switch whose passes
// take time. Of the two that counts which loses more.
func rateBeside(ctx context.Context, e *experiment.Env, rate units.Rate) (besides, error) {
	set, err := sharedRun(e, rate)
	if err != nil {
		return besides{}, err
	}
	cells, err := sim.RunJobs(ctx, set, worker.Images{}, sim.Observer{})
	if err != nil {
		return besides{}, err
	}
	var worst besides
	for i, j := range set.Jobs {
		alone, err := sim.RunJobs(ctx, job.Alone(j), worker.Images{}, sim.Observer{})
		if err != nil {
			return besides{}, err
		}
		if cells[i].Wrong > 0 || cells[i].Checked == 0 {
			return besides{}, fmt.Errorf("job %d beside another: %d of %d sums are wrong", j.ID, cells[i].Wrong, cells[i].Checked)
		}
		b := besides{rate: rate, alone: testbed.Took(alone[0].Samples, 0), together: testbed.Took(cells[i].Samples, 0)}
		if i == 0 || b.kept() < worst.kept() {
			worst = b
		}
	}
	return worst, nil
}

func sharedFindings(l *lab, pool chip.PoolUse, rates []besides, seen shared, memory chip.MemoryUse) (experiment.Findings, error) {
	if seen.seen.Turns() < leastTurns {
		return experiment.Findings{}, fmt.Errorf("packets of the two jobs took turns %d times at the switch: they did not run side by side", seen.seen.Turns())
	}
	t := claims.Table{
		ID: "switchml.s7.multi-job", Title: fmt.Sprintf("Two jobs of %d workers in one switch; %d times a packet followed one of the other job", sharedWorkers, seen.seen.Turns()),
		Columns: []claims.Column{{Name: "job"}, {Name: "switch"}, {Name: "elements checked"}, {Name: "wrong"}},
		Notes: []string{
			fmt.Sprintf("Parts of the pool: two jobs fill %d slots, and both have each of their slots open at the same time; %d sums are not of their own job's values alone. %s", pool.Slots, pool.Shared, pool.Refused),
			memory.String() + ".",
		},
	}
	var wrong uint64
	for i := range seen.cells {
		c := &seen.cells[i]
		if c.Checked == 0 {
			return experiment.Findings{}, errors.New("no sum was checked")
		}
		wrong += c.Wrong
		on, err := testbed.RanOn(seen.set.Jobs[i].System, c)
		if err != nil {
			return experiment.Findings{}, err
		}
		t.Add(render.Int(i+1), render.Text(on), render.Int(c.Checked), render.Int(c.Wrong))
	}
	f := experiment.Findings{Tables: []claims.Table{t, besideTable(rates)}}
	m := claims.NumberParts(map[string]float64{"shared_slots": float64(pool.Shared), "wrong": float64(wrong), "switch_share_pct": memory.Percent()})
	m.Note = memory.String()
	for _, b := range rates {
		m.Note += fmt.Sprintf("; at %v a job beside the other has %.2f of its rate alone", b.rate, b.kept())
	}
	f.Set("switchml.s7.multi-job", l.say(m, countScale, "rates under the virtual clock, with the passes of the emulated pipeline"))
	return f, nil
}

func besideTable(rates []besides) claims.Table {
	t := claims.Table{
		ID: "switchml.s7.multi-job.rate", Title: "Time of a tensor, alone and beside another job, virtual, 256 values a packet",
		Columns: []claims.Column{{Name: "links"}, {Name: "alone", Unit: "us"}, {Name: "beside the other", Unit: "us"}, {Name: "rate kept"}},
		Notes: []string{
			"Each job's results are a stream of packets of their own, which is read in seven further passes. Two of these are in the pipe of the workers, to which two ports lead back: they carry the results of one job at 100 Gbit/s, and not much more.",
		},
	}
	for _, b := range rates {
		t.Add(render.Text(b.rate.String()), render.Number(b.alone.Seconds()*1e6, 2), render.Number(b.together.Seconds()*1e6, 2), render.Number(b.kept(), 2))
	}
	return t
}
