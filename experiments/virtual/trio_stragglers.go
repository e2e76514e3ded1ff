package virtual

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// trioModels are the models of Trio Table 1.
var trioModels = []string{"resnet50", "vgg11", "densenet161"}

// sweep is Fig 13: the iteration times of each model and system at each
// straggling probability, at 100 Gbit/s and full size. Trio-ML is in it twice: in the
// reading of ageing that is taken, and in the other one.
type sweep struct {
	env        *experiment.Env
	iterations int                // of the jobs that are laid out
	chains     [][]*job.Job       // that share patterns of rounds; the last checks are pairs that must agree
	cells      [][]result.Cell    // of chains
	ideal      []result.Cell      // by model
	scan       reference.ScanTime // what timer threads take
}

// iterations of a straggler experiment: the paper's 100, or those of a quick run.
func iterations(e *experiment.Env) int { return experiment.Cut(e, 100, quickIterations) }

const quickIterations = 25

// newSweep lays the runs out, and for one model two shorter ones of each system,
// packet by packet and with charged rounds, to hold against each other.
func newSweep(e *experiment.Env) (*sweep, error) {
	s := &sweep{env: e, iterations: iterations(e)}
	var err error
	if s.scan, err = scanTime(e); err != nil {
		return nil, err
	}
	for _, m := range trioModels {
		if err := s.add(m); err != nil {
			return nil, err
		}
		s.ideal = append(s.ideal, s.chains[len(s.chains)-1][0].IdealCell())
	}
	s.iterations = checkIterations
	for _, lay := range []layout{s.trio, s.otherTrio, s.switchML} {
		charged, err := lay(trioModels[0], testbed.LastP)
		if err != nil {
			return nil, err
		}
		exact := *charged
		exact.Exact = true
		s.chains = append(s.chains, []*job.Job{charged, &exact})
	}
	return s, nil
}

// checkIterations is the length of the runs that are simulated packet by packet.
const checkIterations = 25

// layout lays a system out for a model at one probability.
type layout func(model string, p float64) (*job.Job, error)

// add lays out both systems for one model. Trio-ML's rounds with a straggler are
// all different, so that there is little to share between its runs.
func (s *sweep) add(model string) error {
	var shared []*job.Job
	for _, p := range testbed.StraggleP(s.env) {
		for _, lay := range []layout{s.trio, s.otherTrio} {
			j, err := lay(model, p)
			if err != nil {
				return err
			}
			s.chains = append(s.chains, []*job.Job{j})
		}
		j, err := s.switchML(model, p)
		if err != nil {
			return err
		}
		shared = append(shared, j)
	}
	s.chains = append(s.chains, shared)
	return nil
}

// trio is Trio-ML on the paper's chassis, in the readings taken.
func (s *sweep) trio(model string, p float64) (*job.Job, error) {
	taken, _ := s.systems()
	return s.job(taken, trioNetwork, model, p)
}

// otherTrio is trio in the other reading of what an aged block says of the sources that it lacks.
func (s *sweep) otherTrio(model string, p float64) (*job.Job, error) {
	_, other := s.systems()
	return s.job(other, trioNetwork, model, p)
}

// systems are Trio-ML as all runs of the sweep have it, in the reading of ageing that is taken
// and in the other one.
func (s *sweep) systems() (taken, other trioml.System) {
	taken, other = trioSystem(s.env), otherAgeing(s.env)
	taken.PFE.Scan, other.PFE.Scan = s.scan, s.scan
	return taken, other
}

// trioNetwork is the paper's chassis with six workers (Trio §6.1).
var trioNetwork = network{topology: "mx480", hosts: 6, rate: 100 * units.GbitPerSecond}

// trioSystem is Trio-ML in the readings taken, on the fast model of a PFE.
func trioSystem(e *experiment.Env) trioml.System {
	t := testbed.Trio(e)
	t.PFE = trioml.PFE{Reference: true} // which does what the Microcode does, packet for packet, in a fraction of the time
	if e.Reading("trio.rate-vs-link") == "rmw-ceiling" {
		t.AddRate = units.Rate(32 * e.Constants.Get("pfe.adds"))
	}
	return t
}

// scanTime is what timer threads take on the emulated PFE. Of its constants the results of a
// sweep depend on what an instruction takes; the others are not noted, since one that is
// changed moves a result by a percent.
func scanTime(e *experiment.Env) (reference.ScanTime, error) {
	apart := *e
	apart.Constants = e.Constants.Fresh()
	e.Constants.Get("pfe.instruction")
	m, err := chip.NewTrio(&apart)
	if err != nil {
		return reference.ScanTime{}, err
	}
	return m.ScanTime()
}

// otherAgeing is trioSystem in the reading of trio.close-to-ideal that is not taken.
func otherAgeing(e *experiment.Env) trioml.System {
	t := trioSystem(e)
	if t.Age == program.AgePerBlock {
		t.Age = program.AgeAbsent
	} else {
		t.Age = program.AgePerBlock
	}
	return t
}

// trioLine is Trio-ML in the readings taken, as rows call it.
const trioLine = "trioml"

// smlLine is SwitchML, as rows call it.
const smlLine = "switchml256"

// otherLine is how rows call Trio-ML in the other reading of ageing.
func otherLine(e *experiment.Env) string { return trioLine + ", " + string(otherAgeing(e).Age) }

// trioModel says which model of a PFE gave a result.
const trioModel = chip.ReferenceModel

// switchML is SwitchML-256 with all workers on one pipeline (Trio §6.1).
func (s *sweep) switchML(model string, p float64) (*job.Job, error) {
	return s.job(switchml.System{Elements: 256}, smlNetwork, model, p)
}

// smlNetwork is the rack of SwitchML (Trio §6.1).
var smlNetwork = network{topology: "rack", hosts: 6, rate: 100 * units.GbitPerSecond}

// job replays a model. Changes come after what the sweep says.
func (s *sweep) job(sys job.System, n network, name string, p float64, changes ...func(*job.Spec)) (*job.Job, error) {
	return replay(s.env, sys, n, func(spec *job.Spec) {
		spec.Model, spec.Iterations, spec.StraggleP = testbed.Model(s.env, name), s.iterations, p
		spec.Semantics = fault.Semantics(s.env.Reading("trio.straggle-semantics"))
		spec.Host = s.env.Constants.DPDK()
		for _, change := range changes {
			change(spec)
		}
	})
}

// run simulates everything, and holds the cells that were charged against those
// that were not.
func (s *sweep) run(ctx context.Context) (err error) {
	order := slices.Clone(s.chains)
	slices.Reverse(order) // the checks first; the longest chains are not the last
	cells, err := runChains(ctx, order)
	if err != nil {
		return err
	}
	slices.Reverse(cells)
	s.cells = cells
	for _, pair := range s.cells[len(s.cells)-checks:] {
		if c := &pair[0]; !reflect.DeepEqual(c.Samples, pair[1].Samples) {
			return fmt.Errorf("%s, %s, p=%g: packet by packet the times differ from those with charged rounds", c.System, c.Model, c.StraggleP)
		}
	}
	other := otherAgeing(s.env).Age
	for i, chain := range s.chains {
		for k, j := range chain {
			if t, ok := j.System.(trioml.System); ok && t.Age == other {
				s.cells[i][k].System = otherLine(s.env)
			}
		}
	}
	return nil
}

// checks is the number of pairs that must agree, one for each line.
const checks = 3

// swept returns the cells of the sweep without those that were run to check it.
func (s *sweep) swept() []result.Cell { return slices.Concat(s.cells[:len(s.cells)-checks]...) }

// cell returns the run of a system at one point.
func (s *sweep) cell(system, model string, p float64) *result.Cell {
	swept := s.swept()
	if i := slices.IndexFunc(swept, func(c result.Cell) bool { return c.System == system && c.Model == model && c.StraggleP == p }); i >= 0 {
		return &swept[i]
	}
	return nil
}

// rows compares all systems at all points.
func (s *sweep) rows() []compare.Row {
	return compare.Rows(slices.Concat(s.ideal, s.swept()), testbed.SML256.Baseline())
}
