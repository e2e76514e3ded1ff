package virtual

import (
	"context"
	"fmt"
	"math"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// fig14 is about the timer threads: what a scan takes, and how soon servers
// recover from a straggler.
func fig14() experiment.Experiment {
	return experiment.Experiment{
		ID:       "trio.fig14",
		Title:    "timer threads: recovery from a straggler, and the time of a scan",
		Switch:   []claims.Switch{claims.SwitchPFE, claims.SwitchReference},
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

var recoveryTimeouts = []units.Duration{2, 5, 10, 20, 40} // ms

// recoveryPFE is a model of a PFE that servers recover on.
type recoveryPFE struct {
	name, long string
	addRate    units.Rate
	pfe        trioml.PFE
	predicts   bool // its times count
}

// recoveryPFEs are the emulated PFE, which the results are of, the same at the ends of
// what the paper leaves open of it, and the fast model.
func recoveryPFEs(e *experiment.Env) ([]recoveryPFE, error) {
	m, err := chip.NewTrio(e)
	if err != nil {
		return nil, err
	}
	list := []recoveryPFE{{name: "Microcode", long: chip.Model, pfe: m.PFE(), predicts: true}}
	for i, size := range chip.ThreadRange {
		end := m
		end.PPEs, end.Threads, end.Memory.DRAMLatency = size.PPEs, size.Threads, chip.DRAMRange[len(chip.DRAMRange)-1-i]
		name := fmt.Sprintf("Microcode, %d PPEs of %d threads, DRAM %v", end.PPEs, end.Threads, end.Memory.DRAMLatency)
		list = append(list, recoveryPFE{name: name, long: chip.Model, pfe: end.PFE(), predicts: true})
	}
	ends, err := m.Ends()
	for i := range ends {
		list = append(list, recoveryPFE{name: "Microcode, " + ends[i].Times(), long: chip.Model, pfe: ends[i].PFE(), predicts: true})
	}
	reference := recoveryPFE{name: "reference program", long: trioModel, addRate: trioSystem(e).AddRate, pfe: trioml.PFE{Reference: true}}
	return append(list, reference), err
}

// recoveryLevels are networks of six servers: the paper's chassis, with three on each of two
// PFEs and a third above (Trio §6.1), and all on one PFE.
var recoveryLevels = []struct {
	n  int
	on network
}{{2, trioNetwork}, {1, network{topology: "rack", hosts: trioNetwork.hosts, rate: trioNetwork.rate}}}

// recoveries lays out what is measured. The prediction is of the chassis and the ageing that is
// taken. At the ends of what is open the emulated PFE is run with the shortest timeout, of which
// what a PFE takes is the largest part.
func recoveries(e *experiment.Env, pfes []recoveryPFE) (all []recovered) {
	taken, other := trioSystem(e).Age, otherAgeing(e).Age
	add := func(on recoveryPFE, level int, age program.AgePolicy, timeouts []units.Duration) {
		on.predicts = on.predicts && level == 0 && age == taken
		for _, ms := range timeouts {
			all = append(all, recovered{
				on: on, levels: recoveryLevels[level].n, network: recoveryLevels[level].on, age: age, timeout: ms * units.Millisecond,
			})
		}
	}
	add(pfes[0], 0, taken, recoveryTimeouts)
	add(pfes[0], 0, other, recoveryTimeouts)
	add(pfes[0], 1, taken, recoveryTimeouts)
	for _, end := range pfes[1 : len(pfes)-1] {
		add(end, 0, taken, recoveryTimeouts[:1])
	}
	add(pfes[len(pfes)-1], 0, taken, recoveryTimeouts)
	return all
}

// recovery measures how long each packet waits for its result when one server is silent.
func recovery(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	pfes, err := recoveryPFEs(e)
	if err != nil {
		return err
	}
	all := recoveries(e, pfes)
	least, most := math.Inf(1), 0.0
	for i := range all {
		r := &all[i]
		e.Note("recovery from a straggler: %s, timeout of %v", r.on.name, r.timeout)
		if err := r.run(ctx, e); err != nil {
			return err
		}
		if r.on.predicts {
			least, most = min(least, r.quantile(0)), max(most, r.quantile(1))
		}
	}
	f.Tables = append(f.Tables, recoveryTable(e, all))
	f.Figures = append(f.Figures, recoveryFigure(all))
	f.Predict("trio.fig14.recovery", claims.Prediction{
		Low: least, High: most, Model: pfes[0].long,
		Note: "least and most over packets, servers, timeouts and phases of the timers, two levels, 96 to 160 PPEs of 16 to 24 threads, DRAM of 300 to 400 ns, both ends of the time of an instruction",
	})
	return nil
}

func recoveryTable(e *experiment.Env, all []recovered) claims.Table {
	t := claims.Table{
		ID: "trio.fig14", Title: "Time from sending a packet to its result, one server silent",
		Columns: []claims.Column{
			{Name: "PFE"}, {Name: "levels"}, {Name: "timeout", Unit: "ms"}, {Name: "ageing"}, {Name: "least", Unit: "timeouts"}, {Name: "5%", Unit: "timeouts"}, {Name: "median", Unit: "timeouts"},
			{Name: "mean", Unit: "timeouts"}, {Name: "95%", Unit: "timeouts"}, {Name: "most", Unit: "timeouts"}, {Name: "n"},
		},
		Notes: []string{
			fmt.Sprintf("Each of %d packets back to back, at each of %d servers that wait for the sixth, at %d phases of the timer threads. From the call that sends the first packets to that which takes the result.",
				chip.RecoveryPackets, recoveryServers, recoveryPhases),
			fmt.Sprintf("Levels: 2 is the paper's chassis, three servers on each of two PFEs and a third above (§6.1), whose timeout is %d times that of the level below; 1 is all servers on one PFE. The timeout is that of the lower level.", upperPatience(e)),
			"The prediction is of two levels, on Microcode, in the ageing that is taken: the first lines, and those of the PFE at the ends of what is open of it.",
			"Microcode: " + chip.Model + ".", "Reference program: " + trioModel + ".",
		},
	}
	for i := range all {
		r := &all[i]
		sum := 0.0
		for _, x := range r.times {
			sum += x
		}
		at := func(q float64) render.Cell { return render.Number(r.quantile(q), 3) }
		t.Add(render.Text(r.on.name), render.Int(r.levels), render.Int(int64(r.timeout/units.Millisecond)), render.Text(string(r.age)), at(0), at(0.05), at(0.5),
			render.Number(sum/float64(len(r.times)), 3), at(0.95), at(1), render.Int(len(r.times)))
	}
	return t
}
