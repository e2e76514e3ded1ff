package virtual

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// fig14 is about the timer threads: what a scan takes, and how soon servers
// recover from a straggler.
func fig14() experiment.Experiment {
	return experiment.Experiment{
		ID:       "trio.fig14",
		Title:    "timer threads: recovery from a straggler, and the time of a scan",
		Claims:   []claims.ID{"trio.s5.single-thread-insufficient"},
		Predicts: []claims.ID{"trio.fig14.recovery"},
		Run: func(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
			var f experiment.Findings
			if err := recovery(ctx, e, &f); err != nil {
				return f, err
			}
			if !e.Varied {
				if err := chip.LevelTimeouts(ctx, e, &f); err != nil {
					return f, err
				}
				if err := chip.AgedBlocks(ctx, e, &f); err != nil {
					return f, err
				}
			}
			return f, chip.ScanTimes(ctx, e, &f)
		},
	}
}

// Recovery: 20 packets back to back, one of six servers silent.
const (
	recoveryPhases  = 16 // of the timers, against which the packets are sent
	recoveryCompute = 300 * units.Millisecond
)

var recoveryTimeouts = []units.Duration{2, 5, 10, 20, 40} // ms

// recoveryPFE is a model of a PFE that servers recover on.
type recoveryPFE struct {
	name, long string
	addRate    units.Rate
	pfe        trioml.PFE
	timeouts   []units.Duration // in ms
	predicts   bool             // its times count
}

// recoveryPFEs are the emulated PFE, which the results are of, the same at the ends of
// what the paper leaves open of it, and the fast model. At its ends it is run with the
// shortest timeout, of which what a PFE takes is the largest part.
func recoveryPFEs(e *experiment.Env) ([]recoveryPFE, error) {
	m, err := chip.NewTrio(e)
	list := []recoveryPFE{{name: "Microcode", long: chip.Model, pfe: m.PFE(), timeouts: recoveryTimeouts, predicts: true}}
	for i, size := range chip.ThreadRange {
		end := m
		end.PPEs, end.Threads, end.Memory.DRAMLatency = size.PPEs, size.Threads, chip.DRAMRange[len(chip.DRAMRange)-1-i]
		list = append(list, recoveryPFE{
			name: fmt.Sprintf("Microcode, %d PPEs of %d threads, DRAM %v", end.PPEs, end.Threads, end.Memory.DRAMLatency),
			long: chip.Model, pfe: end.PFE(), timeouts: recoveryTimeouts[:1], predicts: true,
		})
	}
	reference := recoveryPFE{name: "reference", long: trioModel, addRate: trioSystem(e).AddRate, pfe: trioml.PFE{Reference: true}, timeouts: recoveryTimeouts}
	return append(list, reference), err
}

// recovered is how long servers waited, in timeouts, at one timeout, in one reading
// of what an aged block says about its source, and on one model of a PFE.
type recovered struct {
	on      recoveryPFE
	timeout units.Duration
	age     program.AgePolicy
	times   []float64 // of each server and phase of the timers
}

// quantile returns the time that a share of the servers do not exceed.
func (r *recovered) quantile(q float64) float64 {
	v, _ := stat.Quantile(r.times, q)
	return v
}

// recovery measures the time from the first packet to the last result, in
// timeouts, under both readings of what an aged block says about its source.
func recovery(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	pfes, err := recoveryPFEs(e)
	if err != nil {
		return err
	}
	var all []recovered
	least, most := math.Inf(1), 0.0
	for _, on := range pfes {
		e.Note("recovery from a straggler: %s", on.name)
		for _, ms := range on.timeouts {
			for _, age := range []program.AgePolicy{program.AgePerBlock, program.AgeAbsent} {
				r := recovered{on: on, timeout: ms * units.Millisecond, age: age}
				if err := r.run(ctx, e); err != nil {
					return err
				}
				all = append(all, r)
				if on.predicts {
					least, most = min(least, r.quantile(0)), max(most, r.quantile(1))
				}
			}
		}
	}
	f.Tables = append(f.Tables, recoveryTable(all))
	f.Figures = append(f.Figures, recoveryFigure(slices.DeleteFunc(slices.Clone(all), func(r recovered) bool { return r.on.name != pfes[0].name })))
	f.Predict("trio.fig14.recovery", claims.Prediction{
		Low: least, High: most, Model: pfes[0].long,
		Note: "least and most over timeouts, phases of the timers, and both readings of trio.close-to-ideal, 96 to 160 PPEs of 16 to 24 threads, DRAM of 300 to 400 ns",
	})
	return nil
}

func recoveryTable(all []recovered) claims.Table {
	t := claims.Table{
		ID: "trio.fig14", Title: "Time until servers have all results of 20 packets, one server silent",
		Columns: []claims.Column{
			{Name: "PFE"}, {Name: "timeout", Unit: "ms"}, {Name: "ageing"}, {Name: "least", Unit: "timeouts"}, {Name: "5%", Unit: "timeouts"}, {Name: "median", Unit: "timeouts"},
			{Name: "mean", Unit: "timeouts"}, {Name: "95%", Unit: "timeouts"}, {Name: "most", Unit: "timeouts"}, {Name: "n"},
		},
		Notes: []string{
			fmt.Sprintf("Over %d phases of the timer threads, every server that waits.", recoveryPhases),
			"Microcode: " + chip.Model + ".", "Reference: " + trioModel + ".",
		},
	}
	for i := range all {
		r := &all[i]
		sum := 0.0
		for _, x := range r.times {
			sum += x
		}
		at := func(q float64) render.Cell { return render.Number(r.quantile(q), 3) }
		t.Add(render.Text(r.on.name), render.Int(int64(r.timeout/units.Millisecond)), render.Text(string(r.age)), at(0), at(0.05), at(0.5),
			render.Number(sum/float64(len(r.times)), 3), at(0.95), at(1), render.Int(len(r.times)))
	}
	return t
}

// run measures at every phase of the timers.
func (r *recovered) run(ctx context.Context, e *experiment.Env) error {
	var jobs []*job.Job
	for phase := range recoveryPhases {
		j, err := r.job(e, phase)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return err
	}
	for i, c := range cells {
		for _, x := range c.Samples {
			if x.Delay == 0 {
				r.times = append(r.times, float64(x.End.Sub(x.Start)-jobs[i].Model.Compute)/float64(r.timeout))
			}
		}
	}
	if len(r.times) == 0 {
		return fmt.Errorf("timeout of %v: no server waited for a silent one", r.timeout)
	}
	return nil
}

// job is one all-reduce of 20 packets for which one server is late by
// more than any timeout here.
func (r *recovered) job(e *experiment.Env, phase int) (*job.Job, error) {
	profile := testbed.Model(e, "resnet50")
	profile.SizeMiB = 1
	profile.Compute = recoveryCompute + r.timeout*units.Duration(phase)/recoveryPhases
	sys := trioml.System{Timeout: r.timeout, Age: r.age, AddRate: r.on.addRate, PFE: r.on.pfe}
	return replay(e, sys, trioNetwork, func(s *job.Spec) {
		s.Model, s.Iterations, s.StraggleP = profile, 1, 1
		s.Scale = int(units.MiB) / (4096 * chip.RecoveryPackets) // rounded down: a little more than 20 packets' worth
		s.Seed = e.Seed + rng.Root(phase)
		s.Host = e.Constants.DPDK()
	})
}

// ageingNames say what becomes of the source that an aged block misses.
var ageingNames = map[program.AgePolicy]string{
	program.AgePerBlock: "every block waits", program.AgeAbsent: "absent after the first block",
}

// recoveryFigure draws recovery over the timeout, in time and in timeouts, and
// below the distribution at each timeout for both readings.
func recoveryFigure(all []recovered) figure.Figure {
	timeouts := figure.Axis{Label: "timeout", Unit: "ms", Zero: true}
	inTime := figure.Panel{Title: "Recovery time", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "ms", Zero: true}}
	inTimeouts := figure.Panel{Title: "Against the timeout", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "timeouts", Zero: true}}
	f := figure.Figure{
		ID: "trio.fig14", Title: "Recovery from a straggler by the timeout of blocks", Columns: 2,
		Notes: []string{
			fmt.Sprintf("From the first of %d packets back to back to the last result, one of six servers silent; %d phases of the timer threads.", chip.RecoveryPackets, recoveryPhases),
			"Above: medians; bars from 5% to 95% of servers and phases. Below: the share that has recovered by then.",
			chip.Model + ".",
			"How many timeouts it takes is a prediction: nothing of the paper is drawn beside.",
		},
	}
	var spread []figure.Panel
	for _, age := range []program.AgePolicy{program.AgePerBlock, program.AgeAbsent} {
		name := ageingNames[age]
		aged := slices.DeleteFunc(slices.Clone(all), func(r recovered) bool { return r.age != age })
		inTime.Series = append(inTime.Series, recoveryLine(name, aged, func(r *recovered) float64 { return r.timeout.Milliseconds() }))
		inTimeouts.Series = append(inTimeouts.Series, recoveryLine(name, aged, func(*recovered) float64 { return 1 }))
		cdf := figure.Panel{Title: "Distribution: " + name, X: figure.Axis{Label: "recovery", Unit: "timeouts"}, Y: figure.Axis{Label: "share of servers"}}
		for i := range aged {
			cdf.Series = append(cdf.Series, figure.CDF(fmt.Sprintf("timeout %d ms", aged[i].timeout/units.Millisecond), aged[i].times))
		}
		spread = append(spread, cdf)
	}
	f.Panels = append([]figure.Panel{inTime, inTimeouts}, spread...)
	return f
}

// recoveryLine is the medians over timeouts, each times what unit says.
func recoveryLine(name string, all []recovered, unit func(*recovered) float64) figure.Series {
	return figure.SeriesOf(name, all, func(r *recovered) figure.Point {
		u, median := unit(r), r.quantile(0.5)
		return figure.Point{
			X: r.timeout.Milliseconds(), Y: u * median, Below: u * (median - r.quantile(0.05)), Above: u * (r.quantile(0.95) - median),
		}
	})
}
