package experiments

import (
	"context"
	"fmt"
	"reflect"

	"github.com/inalab/inalab/harness/fault"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// straggleP are the probabilities of Fig 13.
var straggleP = []float64{0, 0.04, 0.08, 0.12, 0.16}

// trioModels are the models of Trio Table 1.
var trioModels = []string{"resnet50", "vgg11", "densenet161"}

// sweep is Fig 13: the mean iteration time of each model and system at each
// straggling probability.
type sweep struct {
	env   *Env
	jobs  []*job.Job
	cells []result.Cell
}

// iterations of a straggler experiment: the paper's, or those of a quick run.
func iterations(e *Env) int {
	if e.Quick {
		return 30
	}
	return 100
}

// newSweep lays the runs out: every system at every p, and one cell more that is
// simulated packet by packet, to hold charged rounds against.
func newSweep(e *Env) (*sweep, error) {
	s := &sweep{env: e}
	for _, m := range trioModels {
		for _, p := range straggleP {
			if err := s.add(m, p, false); err != nil {
				return nil, err
			}
		}
	}
	return s, s.add(trioModels[0], straggleP[len(straggleP)-1], true)
}

// add lays out both systems at one point.
func (s *sweep) add(model string, p float64, exact bool) error {
	trio, onMX480 := s.trio()
	for _, c := range []struct {
		sys job.System
		net network
	}{
		{trio, onMX480},
		{job.SwitchML{Elements: 256}, network{topology: "rack", hosts: 6, rate: 100 * units.GbitPerSecond}},
	} {
		j, err := s.job(c.sys, c.net, model, p)
		if err != nil {
			return err
		}
		if exact {
			j.Exact = true
		}
		s.jobs = append(s.jobs, j)
	}
	return nil
}

// trio is Trio-ML on the paper's chassis, in the readings taken.
func (s *sweep) trio() (job.System, network) {
	t := job.TrioML{
		Wake: trioml.WakePolicy(s.env.Reading("trio.wake")),
		Late: program.LatePolicy(s.env.Reading("trio.late-record")),
	}
	if s.env.Reading("trio.rate-vs-link") == "rmw-ceiling" {
		t.AddRate = units.Rate(32 * s.env.Constants.Get("pfe.adds"))
	}
	return t, network{topology: "mx480", hosts: 6, rate: 100 * units.GbitPerSecond}
}

func (s *sweep) job(sys job.System, n network, name string, p float64) (*job.Job, error) {
	profile, err := model(s.env, name)
	if err != nil {
		return nil, err
	}
	return replay(s.env, sys, n, func(spec *job.Spec) {
		spec.Model, spec.Iterations, spec.StraggleP = profile, iterations(s.env), p
		spec.Semantics = fault.Semantics(s.env.Reading("trio.straggle-semantics"))
		spec.Host = s.env.Constants.DPDK()
	})
}

// run simulates everything, and holds the cells that were charged against those
// that were not.
func (s *sweep) run(ctx context.Context) (err error) {
	if s.cells, err = s.env.Cells(ctx, s.jobs...); err != nil {
		return err
	}
	n := len(s.cells) - 2
	for _, exact := range s.cells[n:] {
		charged := s.cell(exact.System, exact.Model, exact.StraggleP)
		if !reflect.DeepEqual(charged.Samples, exact.Samples) {
			return fmt.Errorf("%s, %s, p=%g: packet by packet the times differ from those with charged rounds", exact.System, exact.Model, exact.StraggleP)
		}
	}
	return nil
}

// cell returns the run of a system at one point.
func (s *sweep) cell(system, model string, p float64) *result.Cell {
	for i := range s.cells {
		if c := &s.cells[i]; c.System == system && c.Model == model && c.StraggleP == p {
			return c
		}
	}
	return nil
}
