package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/topo/plan"
)

// Set is jobs that run at the same time in one lab: on one plan, each on hosts of its own
// ([Spec.On]). Those of one system are in the same switch programs (Trio §4, Fig 9). Jobs
// may be of several systems, of which one at most has programs on a switch. Hosts that no
// job has are there, and idle.
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

// Misfit is why a job cannot be in a lab with the jobs before it.
type Misfit struct {
	Job    *Job
	Reason string
}

// Error returns the reason.
func (m *Misfit) Error() string { return m.Reason }

// Alone returns the set of one job.
func Alone(j *Job) *Set { return &Set{Jobs: []*Job{j}, programs: j.programs} }

// Each returns a set of its own for every job.
func Each(jobs []*Job) (out []*Set) {
	for _, j := range jobs {
		out = append(out, Alone(j))
	}
	return out
}

// First returns the first job, which tells the plan, the clock and the point of a sweep of
// all, and has what is beside them.
func (s *Set) First() *Job { return s.Jobs[0] }

// NewSet checks that jobs can share a lab, and lays them over one another. The error is a
// [*Misfit] where it is about one of them.
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
	fault := func(j *Job, format string, args ...any) {
		errs = append(errs, &Misfit{j, fmt.Sprintf(format, args...)})
	}
	first, ids, hosts, groups := s.Jobs[0], map[uint8]bool{}, map[string]*Job{}, map[netip.Addr]*Job{}
	for _, j := range s.Jobs {
		if ids[j.ID] {
			fault(j, "two jobs have id %d: each needs its own", j.ID)
		}
		ids[j.ID] = true
		if j.Plan != first.Plan || j.Virtual != first.Virtual {
			fault(j, "%s is on %s (%s), %s on %s (%s): jobs of one lab share plan and clock",
				first.label(), first.Plan.Name, first.clock(), j.label(), j.Plan.Name, j.clock())
		}
		if j != first && len(j.HostPrograms)+len(j.Transit)+len(j.Collectors)+len(j.Flows)+len(j.Changes) > 0 {
			fault(j, "%s has programs, flows or changes beside it: give them to the first job", j.label())
		}
		for _, g := range j.Layout.groups() {
			if other := groups[g]; other != nil {
				fault(j, "%s and %s both have multicast group %v: each needs groups of its own", other.label(), j.label(), g)
			}
			groups[g] = j
		}
		for _, h := range j.Members() {
			if other := hosts[h.Name]; other != nil {
				fault(j, "%s and %s both have %s: each needs hosts of its own", other.label(), j.label(), h.Name)
			}
			hosts[h.Name] = j
		}
	}
	return errors.Join(errs...)
}

// merge makes the programs of all jobs.
func (s *Set) merge() error {
	s.programs = make([][]json.RawMessage, len(s.Plan().Switches))
	on := make([][]string, len(s.programs))
	for sw := range s.programs {
		users := s.users(sw)
		if err := s.agree(sw, users); err != nil {
			return err
		}
		switch len(users) {
		case 0:
		case 1:
			s.programs[sw], on[sw] = users[0].programs[sw], runsOn(users[0].Layout.Programs[sw]...)
		default:
			merged, err := s.mergeSwitch(sw, users)
			if err != nil {
				return err
			}
			on[sw] = runsOn(merged...)
		}
	}
	s.runOn(on)
	return nil
}

// users returns the jobs that have programs on a switch.
func (s *Set) users(sw int) (out []*Job) {
	for _, j := range s.Jobs {
		if sw < len(j.Layout.Programs) && slices.ContainsFunc(j.Layout.Programs[sw], func(p any) bool { return p != nil }) {
			out = append(out, j)
		}
	}
	return out
}

// agree checks that jobs can have programs on one switch.
func (s *Set) agree(sw int, users []*Job) error {
	for _, j := range users {
		first, name := users[0], s.Plan().Switches[sw].Name
		if a, b := first.System.Name(), j.System.Name(); a != b {
			return &Misfit{j, fmt.Sprintf("%s needs the program of %s on switch %s, and %s that of %s: a switch runs that of one system: give both jobs one system, or one of them a system without a switch program, or hosts on other switches",
				first.label(), a, name, j.label(), b)}
		}
		if !reflect.DeepEqual(first.pfeTimes(sw), j.pfeTimes(sw)) {
			return &Misfit{j, fmt.Sprintf("%s and %s have PFEs of different speed on switch %s: they share them", first.label(), j.label(), name)}
		}
	}
	return nil
}

// pfeTimes returns the times that the PFEs of a switch take for a frame of the job.
func (j *Job) pfeTimes(sw int) []impair.Params {
	if sw < len(j.Layout.Servers) {
		return j.Layout.Servers[sw]
	}
	return nil
}

// mergeSwitch makes the programs of a switch, of jobs of one system.
func (s *Set) mergeSwitch(sw int, users []*Job) (merged []any, err error) {
	system, name := users[0].System, s.Plan().Switches[sw].Name
	sharer, ok := system.(Sharer)
	if !ok {
		return nil, &Misfit{users[1], fmt.Sprintf("the switch program of %s serves one job, and switch %s is to serve %d: run its jobs one after the other, or take a system whose program serves several", system.Name(), name, len(users))}
	}
	for pfe := range mostPFEs(users, sw) {
		program, err := mergePFE(sharer, users, sw, pfe)
		if err != nil {
			return nil, fmt.Errorf("laying %d jobs over switch %s: %w", len(users), name, err)
		}
		merged = append(merged, program)
	}
	s.programs[sw], err = encode(merged)
	return merged, err
}

// mostPFEs returns up to which PFE of a switch any of the jobs has programs.
func mostPFEs(jobs []*Job, sw int) (n int) {
	for _, j := range jobs {
		n = max(n, len(j.Layout.Programs[sw]))
	}
	return n
}

// mergePFE returns the program of a PFE, or nil where no job has one.
func mergePFE(sharer Sharer, users []*Job, sw, pfe int) (any, error) {
	var alone []any
	for _, j := range users {
		if of := j.Layout.Programs[sw]; pfe < len(of) && of[pfe] != nil {
			alone = append(alone, of[pfe])
		}
	}
	if len(alone) == 0 {
		return nil, nil
	}
	return sharer.Merge(alone)
}

// Plan returns the plan that the jobs share.
func (s *Set) Plan() *plan.Plan { return s.Jobs[0].Plan }

// Switches returns the configuration of every switch, with the programs of all jobs, in
// the order of the plan. Links deliver at multiples of quantum, which saves a live switch
// wake-ups; zero is exact.
func (s *Set) Switches(quantum units.Duration) []chassis.Config {
	first, p, changes, labels := s.First(), s.Plan(), s.First().changes(), s.labels()
	out := make([]chassis.Config, len(p.Switches))
	for i := range out {
		c := chassis.Config{Switch: p.Switches[i], MTU: p.MTU, Seed: first.Seed, Groups: s.groups(i), Quantum: quantum, Changes: changes[i], Labels: labels}
		if users := s.users(i); len(users) > 0 {
			c.System, c.Programs, c.Servers = users[0].System.Name(), s.programs[i], users[0].pfeTimes(i)
		}
		if i < len(first.Transit) {
			c.Transit = first.Transit[i]
		}
		out[i] = c
	}
	return out
}

// NewSwitch makes the machine of one of [Set.Switches] in this process. Its clock reads zero at
// the epoch.
func (s *Set) NewSwitch(cfg chassis.Config, sink trace.Sink) (*chassis.Chassis, error) {
	var newEngine transit.NewEngine
	for _, j := range s.Jobs {
		if j.System.Name() == cfg.System {
			newEngine = j.System.NewEngine
		}
	}
	c, err := chassis.New(cfg, transit.Maker(cfg.System, newEngine), sink)
	if err != nil {
		return nil, err
	}
	c.Begin(0)
	return c, nil
}

// Trains reports whether some job moves gradients that mean something: it is no
// benchmark and no replay.
func (s *Set) Trains() bool {
	return slices.ContainsFunc(s.Jobs, (*Job).Trains)
}

// Trains reports whether the job is no benchmark and no replay.
func (j *Job) Trains() bool { return j.Elements == 0 && !j.Replay }
