package experiments

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/reports/compare"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// straggleP are the probabilities of Fig 13, or those of a quick run.
func straggleP(e *Env) []float64 {
	if e.Quick {
		return []float64{0, lastP}
	}
	return []float64{0, 0.04, 0.08, 0.12, lastP}
}

// trioModels are the models of Trio Table 1.
var trioModels = []string{"resnet50", "vgg11", "densenet161"}

// lastP is the probability that the paper's numbers are for.
const lastP = 0.16

// sweep is Fig 13: the iteration times of each model and system at each
// straggling probability, at 100 Gbit/s and full size.
type sweep struct {
	env        *Env
	iterations int             // of the jobs that are laid out
	chains     [][]*job.Job    // that share patterns of rounds; the last checks are pairs that must agree
	cells      [][]result.Cell // of chains
	ideal      []result.Cell   // by model
}

// iterations of a straggler experiment: the paper's 100, or those of a quick run.
func iterations(e *Env) int {
	if e.Quick {
		return quickIterations
	}
	return 100
}

const quickIterations = 25

// newSweep lays the runs out, and for one model two shorter ones of each system,
// packet by packet and with charged rounds, to hold against each other.
func newSweep(e *Env) (*sweep, error) {
	s := &sweep{env: e, iterations: iterations(e)}
	for _, m := range trioModels {
		if err := s.add(m); err != nil {
			return nil, err
		}
		s.ideal = append(s.ideal, s.chains[len(s.chains)-1][0].IdealCell())
	}
	s.iterations = checkIterations
	for _, lay := range []layout{s.trio, s.switchML} {
		charged, err := lay(trioModels[0], lastP)
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
	for _, p := range straggleP(s.env) {
		j, err := s.trio(model, p)
		if err != nil {
			return err
		}
		s.chains = append(s.chains, []*job.Job{j})
		if j, err = s.switchML(model, p); err != nil {
			return err
		}
		shared = append(shared, j)
	}
	s.chains = append(s.chains, shared)
	return nil
}

// trio is Trio-ML on the paper's chassis, in the readings taken.
func (s *sweep) trio(model string, p float64) (*job.Job, error) {
	return s.job(trioSystem(s.env), trioNetwork, model, p)
}

// trioNetwork is the paper's chassis with six workers (Trio §6.1).
var trioNetwork = network{topology: "mx480", hosts: 6, rate: 100 * units.GbitPerSecond}

// trioSystem is Trio-ML in the readings taken.
func trioSystem(e *Env) triomlsystem.System {
	t := triomlsystem.System{
		Wake: trioml.WakePolicy(e.Reading("trio.wake")),
		Late: program.LatePolicy(e.Reading("trio.late-record")),
		Age:  program.AgePolicy(e.Reading("trio.close-to-ideal")),

		TopPatience: upperTimeout(e),
		PFE:         triomlsystem.PFE{Reference: true}, // which does what the Microcode does, packet for packet, in a fraction of the time
	}
	if e.Reading("trio.rate-vs-link") == "rmw-ceiling" {
		t.AddRate = units.Rate(32 * e.Constants.Get("pfe.adds"))
	}
	return t
}

// trioModel says which model of a PFE gave a result.
const trioModel = "reference program; a PFE is one server of the stated additions a second, plus link time"

// switchML is SwitchML-256 with all workers on one pipeline (Trio §6.1).
func (s *sweep) switchML(model string, p float64) (*job.Job, error) {
	return s.job(switchml.System{Elements: 256}, network{topology: "rack", hosts: 6, rate: 100 * units.GbitPerSecond}, model, p)
}

func (s *sweep) job(sys job.System, n network, name string, p float64) (*job.Job, error) {
	profile, err := model(s.env, name)
	if err != nil {
		return nil, err
	}
	return replay(s.env, sys, n, func(spec *job.Spec) {
		spec.Model, spec.Iterations, spec.StraggleP = profile, s.iterations, p
		spec.Semantics = fault.Semantics(s.env.Reading("trio.straggle-semantics"))
		spec.Host = s.env.Constants.DPDK()
	})
}

// run simulates everything, and holds the cells that were charged against those
// that were not.
func (s *sweep) run(ctx context.Context) (err error) {
	order := slices.Clone(s.chains)
	slices.Reverse(order) // the checks first; the longest chains are not the last
	cells, err := s.env.Chains(ctx, order)
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
	return nil
}

// checks is the number of pairs that must agree, one for each system.
const checks = 2

// swept returns the cells of the sweep without those that were run to check it.
func (s *sweep) swept() []result.Cell { return slices.Concat(s.cells[:len(s.cells)-checks]...) }

// cell returns the run of a system at one point.
func (s *sweep) cell(system, model string, p float64) *result.Cell {
	for _, chain := range s.cells[:len(s.cells)-checks] {
		for i := range chain {
			if c := &chain[i]; c.System == system && c.Model == model && c.StraggleP == p {
				return c
			}
		}
	}
	return nil
}

// rows compares all systems at all points.
func (s *sweep) rows() []compare.Row {
	return compare.Rows(slices.Concat(s.ideal, s.swept()), sml256.Baseline())
}

// row returns one line of rows.
func row(rows []compare.Row, system, model string, p float64) (compare.Row, error) {
	i := slices.IndexFunc(rows, func(r compare.Row) bool {
		return r.System == system && r.Model == model && r.StraggleP == p
	})
	if i < 0 {
		return compare.Row{}, fmt.Errorf("no run of %s, %s, p=%g", system, model, p)
	}
	return rows[i], nil
}
