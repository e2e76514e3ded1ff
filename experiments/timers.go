package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// timers is about the timer threads: what a scan takes, and how soon servers
// recover from a straggler.
func timers() Experiment {
	return Experiment{
		ID:       "trio.fig14",
		Title:    "timer threads: recovery from a straggler, and the time of a scan",
		Claims:   []claims.ID{"trio.s5.single-thread-insufficient"},
		Predicts: []claims.ID{"trio.fig14.recovery"},
		Run: func(ctx context.Context, e *Env) (Findings, error) {
			var f Findings
			if err := recovery(ctx, e, &f); err != nil {
				return f, err
			}
			return f, scanTimes(&f)
		},
	}
}

// Recovery: 20 packets back to back, one of six servers silent.
const (
	recoveryPackets = 20
	recoveryPhases  = 16 // of the timers, against which the packets are sent
	recoveryCompute = 300 * units.Millisecond
)

var recoveryTimeouts = []units.Duration{2, 5, 10, 20, 40} // ms

// recoveryPFE is a model of a PFE that servers recover on.
type recoveryPFE struct {
	name, long string
	addRate    units.Rate
	pfe        job.PFE
}

// recoveryPFEs are the emulated PFE, which the results are of, and the fast model
// beside it.
func recoveryPFEs(e *Env) ([]recoveryPFE, error) {
	m, err := newTrioPFE(e, false)
	return []recoveryPFE{
		{name: "Microcode", long: pfeModel, pfe: m.pfe()},
		{name: "reference", long: trioModel, addRate: trioSystem(e).AddRate, pfe: job.PFE{Reference: true}},
	}, err
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
func recovery(ctx context.Context, e *Env, f *Findings) error {
	pfes, err := recoveryPFEs(e)
	if err != nil {
		return err
	}
	var all []recovered
	least, most := math.Inf(1), 0.0
	for i, on := range pfes {
		e.Note("recovery from a straggler: %s", on.name)
		for _, ms := range recoveryTimeouts {
			for _, age := range []program.AgePolicy{program.AgePerBlock, program.AgeAbsent} {
				r := recovered{on: on, timeout: ms * units.Millisecond, age: age}
				if err := r.run(ctx, e); err != nil {
					return err
				}
				all = append(all, r)
				if i == 0 {
					least, most = min(least, r.quantile(0)), max(most, r.quantile(1))
				}
			}
		}
	}
	f.Tables = append(f.Tables, recoveryTable(all))
	f.Figures = append(f.Figures, recoveryFigure(slices.DeleteFunc(slices.Clone(all), func(r recovered) bool { return r.on.name != pfes[0].name })))
	f.Predict("trio.fig14.recovery", claims.Prediction{
		Low: least, High: most, Model: pfes[0].long,
		Note: "least and most over timeouts, phases of the timers, and both readings of trio.close-to-ideal",
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
			"Microcode: " + pfeModel + ".", "Reference: " + trioModel + ".",
		},
	}
	for i := range all {
		r := &all[i]
		sum := 0.0
		for _, x := range r.times {
			sum += x
		}
		at := func(q float64) render.Cell { return render.Number(r.quantile(q), 3) }
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.on.name), render.Int(int64(r.timeout / units.Millisecond)), render.Text(string(r.age)), at(0), at(0.05), at(0.5),
			render.Number(sum/float64(len(r.times)), 3), at(0.95), at(1), render.Int(len(r.times)),
		})
	}
	return t
}

// run measures at every phase of the timers.
func (r *recovered) run(ctx context.Context, e *Env) error {
	var jobs []*job.Job
	for phase := range recoveryPhases {
		j, err := r.job(e, phase)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	cells, err := e.Cells(ctx, jobs...)
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
func (r *recovered) job(e *Env, phase int) (*job.Job, error) {
	profile, err := model(e, "resnet50")
	if err != nil {
		return nil, err
	}
	profile.SizeMiB = 1
	profile.Compute = recoveryCompute + r.timeout*units.Duration(phase)/recoveryPhases
	sys := job.TrioML{Timeout: r.timeout, Age: r.age, AddRate: r.on.addRate, PFE: r.on.pfe}
	return replay(e, sys, network{topology: "mx480", hosts: 6, rate: 100 * units.GbitPerSecond}, func(s *job.Spec) {
		s.Model, s.Iterations, s.StraggleP = profile, 1, 1
		s.Scale = int(units.MiB) / (4096 * recoveryPackets) // rounded down: a little more than 20 packets' worth
		s.Seed = e.Seed + rng.Root(phase)
		s.Host = e.Constants.DPDK()
	})
}

// scanTimes holds one thread that scans a large table against N that share it.
// A visit of a record is one access to its memory.
func scanTimes(f *Findings) error {
	const records, threads = 65535, program.DefaultThreads
	busiest, err := busiestThread(records, threads)
	if err != nil {
		return err
	}
	interval := program.DefaultTimeout
	t := claims.Table{
		ID: "trio.s5.single-thread-insufficient", Title: "Time to scan 65535 records",
		Columns: []claims.Column{{Name: "memory"}, {Name: "access", Unit: "ns"}, {Name: "one thread", Unit: "ms"}, {Name: "busiest of 100", Unit: "ms"}, {Name: "one thread over the interval"}},
		Notes:   []string{"Latencies: Trio §2.3. The interval is 10 ms (Trio §6.1)."},
	}
	over := 0.0
	for _, m := range []struct {
		name string
		ns   int
	}{{"SRAM", 70}, {"DRAM, fast", 300}, {"DRAM, slow", 400}} {
		access := units.Duration(m.ns) * units.Nanosecond
		one, shared := access*records, access*units.Duration(busiest)
		over = max(over, float64(one)/float64(interval))
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(m.name), render.Int(m.ns), render.Number(one.Milliseconds(), 2), render.Number(shared.Milliseconds(), 3), render.Number(float64(one)/float64(interval), 2),
		})
	}
	f.Tables = append(f.Tables, t)
	m := claims.Group(map[string]claims.Measured{
		"per_thread_ratio":     claims.Number(float64(busiest) * threads / records),
		"single_over_interval": claims.Number(over),
	})
	m.Note = "records in DRAM; in SRAM one thread is fast enough"
	f.Set("trio.s5.single-thread-insufficient", m)
	return nil
}

// agedAt counts the records that timer threads age, by instant.
type agedAt map[units.Time]int

func (a agedAt) Event(e *trace.Event) {
	if e.Kind == trace.BlockAged {
		a[e.At]++
	}
}

// busiestThread opens records in a real program, lets them age, and returns how
// many the busiest thread visited.
func busiestThread(records, threads int) (busiest int, err error) {
	counts := agedAt{}
	out := inet.Flow{Src: plan.Group(1), Dst: plan.Group(1)}
	p, err := program.New(program.Config{Node: "pfe", Threads: threads, Trace: counts, Jobs: []program.Job{
		{ID: 1, Sources: []uint8{0, 1}, BlockMax: records, Out: out, To: []sansio.Port{0}},
	}})
	if err != nil {
		return 0, err
	}
	var eff sansio.Effects
	for b := range records {
		payload := make([]byte, wire.HeaderLen+4)
		wire.Header{Job: 1, Block: uint32(b), SrcCnt: 1, Grads: 1}.Put(payload)
		p.Handle(1, []sansio.Arrival{{Train: sansio.Train{Header: inet.UDPHeader(out), Body: payload}}}, &eff)
	}
	for p.OpenBlocks() > 0 {
		p.Expire(p.NextDeadline(), &eff)
		eff.Reset()
	}
	for _, n := range counts {
		busiest = max(busiest, n)
	}
	return busiest, nil
}
