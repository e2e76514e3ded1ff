package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo/plan"
)

// Set is jobs that run at the same time in one lab: on one plan, of one system,
// each on hosts of its own ([Spec.On]), and all in the same switch programs
// (Trio §4, Fig 9). Hosts that no job has are there, and idle.
type Set struct {
	Jobs     []*Job
	programs [][]json.RawMessage // by switch and PFE
}

// Sharer is a system whose switch programs serve several jobs at once.
type Sharer interface {
	System
	// Merge returns the configuration of a PFE's program that serves several jobs,
	// from those that it has for each job alone (never nil), in the order of jobs.
	Merge(programs []any) (any, error)
}

// Alone returns the set of one job.
func Alone(j *Job) *Set { return &Set{Jobs: []*Job{j}, programs: j.programs} }

// Each returns a set of its own for every job.
func Each(jobs []*Job) (out []*Set) {
	for _, j := range jobs {
		out = append(out, Alone(j))
	}
	return out
}

// First returns the first job, which tells the system, the plan and the point of a sweep of all.
func (s *Set) First() *Job { return s.Jobs[0] }

// NewSet checks that jobs can share a lab, and lays them over one another.
func NewSet(jobs ...*Job) (*Set, error) {
	if len(jobs) == 0 {
		return nil, errors.New("a set needs a job")
	}
	if len(jobs) == 1 {
		return Alone(jobs[0]), nil
	}
	s := &Set{Jobs: jobs}
	if err := s.validate(); err != nil {
		return nil, err
	}
	return s, s.merge()
}

func (s *Set) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	first, ids, hosts := s.Jobs[0], map[uint8]bool{}, map[string]uint8{}
	for _, j := range s.Jobs {
		if ids[j.ID] {
			fault("two jobs have id %d: each needs its own", j.ID)
		}
		ids[j.ID] = true
		if j.Plan != first.Plan || j.Virtual != first.Virtual || j.System.Name() != first.System.Name() {
			fault("job %d runs %s on %s (%s), job %d %s on %s (%s): jobs of one lab share plan, clock and system",
				first.ID, first.System.Name(), first.Plan.Name, first.clock(), j.ID, j.System.Name(), j.Plan.Name, j.clock())
		}
		if !reflect.DeepEqual(j.Layout.Servers, first.Layout.Servers) {
			fault("jobs %d and %d have PFEs of different speed: they share them", first.ID, j.ID)
		}
		if j != first && len(j.HostPrograms)+len(j.Transit)+len(j.Flows) > 0 {
			fault("job %d has programs or flows beside it: give them to the first job", j.ID)
		}
		for _, h := range j.Hosts() {
			if other, taken := hosts[h.Name]; taken {
				fault("jobs %d and %d both have a worker on %s: each needs hosts of its own", other, j.ID, h.Name)
			}
			hosts[h.Name] = j.ID
		}
	}
	return errors.Join(errs...)
}

// merge makes the programs of all jobs.
func (s *Set) merge() error {
	system := s.Jobs[0].System
	sharer, ok := system.(Sharer)
	if !ok {
		return fmt.Errorf("the switch program of %s serves one job: run its jobs one after the other, or take a system whose program serves several", system.Name())
	}
	s.programs = make([][]json.RawMessage, len(s.Plan().Switches))
	for sw := range s.programs {
		var merged []any
		for pfe := range s.pfes(sw) {
			program, err := s.mergePFE(sharer, sw, pfe)
			if err != nil {
				return fmt.Errorf("laying %d jobs over switch %s: %w", len(s.Jobs), s.Plan().Switches[sw].Name, err)
			}
			merged = append(merged, program)
		}
		var err error
		if s.programs[sw], err = encode(merged); err != nil {
			return err
		}
	}
	return nil
}

// pfes returns up to which PFE of a switch any job has programs.
func (s *Set) pfes(sw int) (n int) {
	for _, j := range s.Jobs {
		if sw < len(j.Layout.Programs) {
			n = max(n, len(j.Layout.Programs[sw]))
		}
	}
	return n
}

// mergePFE returns the program of a PFE, or nil where no job has one.
func (s *Set) mergePFE(sharer Sharer, sw, pfe int) (any, error) {
	var alone []any
	for _, j := range s.Jobs {
		if sw < len(j.Layout.Programs) && pfe < len(j.Layout.Programs[sw]) && j.Layout.Programs[sw][pfe] != nil {
			alone = append(alone, j.Layout.Programs[sw][pfe])
		}
	}
	if len(alone) == 0 {
		return nil, nil
	}
	return sharer.Merge(alone)
}

// Plan returns the plan that the jobs share.
func (s *Set) Plan() *plan.Plan { return s.Jobs[0].Plan }

// Switches is [Job.Switches] with the programs of all jobs.
func (s *Set) Switches(quantum units.Duration) []chassis.Config {
	return s.Jobs[0].switches(s.programs, quantum)
}

// Trains reports whether some job moves gradients that mean something: it is no
// benchmark and no replay.
func (s *Set) Trains() bool {
	return slices.ContainsFunc(s.Jobs, func(j *Job) bool { return j.Elements == 0 && !j.Replay })
}
