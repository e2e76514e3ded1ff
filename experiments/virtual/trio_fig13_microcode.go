package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// The sweep of Fig 13 is on the fast model of a PFE. One iteration of one network
// without and one with a straggler are held against the emulated PFE, which takes
// some ten times as long.
const (
	heldModel       = "resnet50"
	heldSeeds       = 100 // that are tried for one that has a straggler
	quickHeldShrink = 16  // of the model in a quick run
)

// heldPFE is one model of a PFE, with the jobs that it is held against another by.
type heldPFE struct {
	name string
	sys  trioml.System
	jobs []*job.Job // without and with a straggler
}

// onMicrocode runs the same iterations on both models of a PFE. What it asks for is
// noted apart.
func (s *sweep) onMicrocode(ctx context.Context) (t claims.Table, err error) {
	apart := *s.env
	apart.Constants = s.env.Constants.Fresh()
	models, err := heldPFEs(&apart, s.scan)
	if err != nil {
		return t, err
	}
	s.env.Note("%s on Microcode: an iteration without and one with a straggler", modelNames[heldModel])
	cells, err := runHeld(ctx, models)
	if err != nil {
		return t, err
	}
	return heldTable(models, cells), nil
}

// heldPFEs are the model of the sweep and the emulated PFE.
func heldPFEs(e *experiment.Env, scan reference.ScanTime) ([]heldPFE, error) {
	m, err := chip.NewTrio(e)
	if err != nil {
		return nil, err
	}
	swept, timed := trioSystem(e), trioSystem(e)
	swept.PFE.Scan = scan
	timed.AddRate, timed.PFE = 0, m.PFE()
	models := []heldPFE{{name: "reference program", sys: swept}, {name: "Microcode", sys: timed}}
	for i := range models {
		if err := models[i].lay(e); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// runHeld runs the jobs of each model.
func runHeld(ctx context.Context, models []heldPFE) ([][]result.Cell, error) {
	var jobs []*job.Job
	for i := range models {
		jobs = append(jobs, models[i].jobs...)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(cells, len(cells)/len(models))), nil
}

// lay lays the jobs out. The second has the first seed, from that of the run on, that
// draws a straggler.
func (h *heldPFE) lay(e *experiment.Env) error {
	clean, err := h.job(e, 0, e.Seed)
	if err != nil {
		return err
	}
	h.jobs = []*job.Job{clean}
	for seed := e.Seed; seed < e.Seed+heldSeeds; seed++ {
		j, err := h.job(e, testbed.LastP, seed)
		if err != nil {
			return err
		}
		if j.Schedule.Paid(0) > 0 {
			h.jobs = append(h.jobs, j)
			return nil
		}
	}
	return fmt.Errorf("no seed from %d on has a straggler in its first iteration", e.Seed)
}

// job is one iteration.
func (h *heldPFE) job(e *experiment.Env, p float64, seed rng.Root) (*job.Job, error) {
	s := sweep{env: e, iterations: 1}
	j, err := s.job(h.sys, trioNetwork, heldModel, p)
	if err != nil {
		return nil, err
	}
	return replay(e, h.sys, trioNetwork, func(spec *job.Spec) {
		*spec = j.Spec
		spec.Seed = seed
		if e.Quick {
			spec.Model.SizeMiB /= quickHeldShrink
		}
	})
}

func heldTable(models []heldPFE, cells [][]result.Cell) claims.Table {
	t := claims.Table{
		ID: "trio.fig13.microcode", Title: fmt.Sprintf("Iteration time of %s on two models of a PFE", modelNames[heldModel]),
		Columns: []claims.Column{
			{Name: "p", Unit: "%"}, {Name: "PFE"}, {Name: "model", Unit: "MiB"}, {Name: "iteration", Unit: "ms"}, {Name: "difference", Unit: "%"},
		},
		Notes: []string{
			"One iteration, with the same schedule on both; that with p = 16% is one in which a server straggles.",
			"Reference program: " + trioModel + ". The sweep of Fig 13 is on it.", "Microcode: " + chip.Model + ".",
		},
	}
	for k := range cells[0] {
		for i := range models {
			c := &cells[i][k]
			took, base := testbed.MeanIteration(c), testbed.MeanIteration(&cells[0][k])
			difference := render.NA()
			if i > 0 {
				difference = render.Percent(took.Seconds()/base.Seconds() - 1)
			}
			t.Add(render.Percent(c.StraggleP), render.Text(models[i].name), render.Int(models[i].jobs[k].Model.SizeMiB), render.Number(took.Milliseconds(), 2), difference)
		}
	}
	return t
}
