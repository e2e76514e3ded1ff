package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// ReferenceModel says in results that they are not of the emulated chip.
const ReferenceModel = "reference program; a PFE is one server of the stated additions a second, plus link time; timer threads take what they take on the emulated PFE"

// agedTable is a table that one timer thread scans: enough blocks that what the thread takes
// once does not show.
const agedTable = 200

// Sizes of packets from which the time of a result follows: it grows with the gradients.
const (
	agedSmall = 64
	agedLarge = packetGrads
)

// ScanTime measures on an idle PFE what a timer thread takes for a record that it visits, and
// for one that has aged and whose result it builds.
func (m *Machine) ScanTime() (out reference.ScanTime, err error) {
	small, large := tableScan{blocks: agedTable, grads: agedSmall, threads: 1}, tableScan{blocks: agedTable, grads: agedLarge, threads: 1}
	for _, s := range []*tableScan{&small, &large} {
		if err := s.run(m); err != nil {
			return out, fmt.Errorf("a scan of %d aged blocks of %d gradients: %w", s.blocks, s.grads, err)
		}
	}
	each := func(d units.Duration) units.Duration { return d / agedTable }
	out.Visit = each(small.visits.most)
	out.PerGradient = (each(large.ageing.most) - each(small.ageing.most)) / (agedLarge - agedSmall)
	out.Result = each(small.ageing.most) - out.PerGradient*agedSmall
	return out, nil
}

// agedLoad is blocks that lack one source of two and are scanned by some timer threads.
type agedLoad struct{ blocks, grads, threads int }

// agedLoads are one thread with a table of its own, and many that share one, with as many
// blocks in a part as a window of 4096 has over 100 threads.
var agedLoads = []agedLoad{
	{blocks: 100, grads: packetGrads, threads: 1},
	{blocks: 410, grads: 256, threads: 10},
	{blocks: 1000, grads: packetGrads, threads: 24},
}

// agedTimes is when the results of a load left, from the instant on at which the first
// of its threads finds aged blocks.
type agedTimes struct {
	mean, last units.Duration
	n          int
	sum        units.Duration
}

// agedEngine is a model of a PFE with the blocks of a load.
type agedEngine func(program.Config) (sansio.Machine, error)

// run ages the blocks on a model of a PFE.
func (l agedLoad) run(model agedEngine) (out agedTimes, err error) {
	job := rig.TrioJob(2, 0)
	job.BlockMax = max(l.blocks, program.DefaultBlockMax)
	engine, err := model(program.Config{Node: "pfe", Timeout: scanInterval, Threads: l.threads, Jobs: []program.Job{job}})
	if err != nil {
		return out, err
	}
	start := units.Time(agingRun * scanInterval)
	d := sansiotest.Feed{Machine: engine, Sent: func(at units.Time, s *sansio.Send) {
		for range s.Train.Frames() {
			out.n++
			out.sum += at.Sub(start)
			out.last = max(out.last, at.Sub(start))
		}
	}}
	// Packets come when the last thread has just been started, so that all find them one by one
	// in the first period after it, and aged in the second.
	between := units.Time(scanInterval) / units.Time(l.threads)
	for b := range l.blocks {
		d.Arrive(units.Time(scanInterval)-between+between*units.Time(1+b)/units.Time(4*l.blocks), trioPacket(0, uint32(b), l.grads))
	}
	for out.n < l.blocks && d.Now < units.Time(scanEnds) {
		d.Until(d.Now.Add(scanInterval))
	}
	if out.n != l.blocks {
		return out, fmt.Errorf("%d of %d blocks have aged after %v", out.n, l.blocks, scanEnds)
	}
	out.mean = out.sum / units.Duration(out.n)
	return out, nil
}

// agedModels are the models that are held against each other: the emulated PFE, the
// reference program with what timer threads take there, and without.
func (m *Machine) agedModels() ([]agedEngine, []string, error) {
	scan, err := m.ScanTime()
	if err != nil {
		return nil, nil, err
	}
	timed := func(s reference.ScanTime) agedEngine {
		return func(c program.Config) (sansio.Machine, error) { return reference.NewTimed(c, s) }
	}
	return []agedEngine{func(c program.Config) (sansio.Machine, error) { return m.load(c, nil) }, timed(scan), timed(reference.ScanTime{})},
		[]string{"Microcode", "reference program", "reference program, threads take no time"}, nil
}

// AgedBlocks holds the model of the sweep of Fig 13 against the emulated PFE, for blocks that
// timer threads send; in full at both ends of what an instruction takes, too.
func AgedBlocks(ctx context.Context, e *experiment.Env, f *experiment.Findings) error {
	m, err := NewTrio(e)
	if err != nil {
		return err
	}
	machines := []Machine{m}
	if !e.Quick {
		ends, err := m.Ends()
		if err != nil {
			return err
		}
		machines = append(machines, ends[:]...)
	}
	t := claims.Table{
		ID: "trio.fig14.aged", Title: "When the results of aged blocks leave, on models of a PFE",
		Columns: []claims.Column{
			{Name: "instruction", Unit: "ns"}, {Name: "blocks"}, {Name: "gradients"}, {Name: "timer threads"}, {Name: "PFE"}, {Name: "mean", Unit: "ms"}, {Name: "last", Unit: "ms"},
		},
		Notes: []string{
			"From the instant at which the first timer thread finds aged blocks; threads start within 10 ms. Each thread builds the results of its part one after the other.",
			"Microcode: " + Model + ".", "Reference program: " + ReferenceModel + ".",
		},
	}
	for i := range machines {
		e.Note("aged blocks, %s", machines[i].Times())
		rows, err := machines[i].agedRows(ctx)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, rows...)
	}
	f.Tables = append(f.Tables, t)
	return nil
}

// agedRows are all loads on all models.
func (m *Machine) agedRows(ctx context.Context) ([][]render.Cell, error) {
	models, names, err := m.agedModels()
	if err != nil {
		return nil, err
	}
	var t claims.Table
	for _, l := range agedLoads {
		for i, model := range models {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r, err := l.run(model)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			t.Add(instructionCell(m), render.Int(l.blocks), render.Int(l.grads), render.Int(l.threads), render.Text(names[i]),
				render.Number(r.mean.Milliseconds(), 3), render.Number(r.last.Milliseconds(), 3))
		}
	}
	return t.Rows, nil
}
