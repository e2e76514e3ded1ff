package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// Course returns what is done in a run, in order, with the ends of jobs that follow from
// it, or an error that names the action that cannot be.
func (s *Set) Course() ([]Step, error) {
	c := course{set: s, down: map[string]bool{}, ended: make([]bool, len(s.Jobs)), again: make([]int, len(s.Jobs)), place: map[string]seat{}}
	for k, j := range s.Jobs {
		for i, h := range j.Hosts() {
			c.place[h.Name] = seat{k, i, AsWorker}
		}
		for _, sc := range j.ServerConfigs() {
			c.place[sc.Name] = seat{k, 0, AsServer}
		}
	}
	for _, sw := range s.Plan().Switches {
		c.place[sw.Name] = seat{-1, 0, AsSwitch}
	}
	var errs []error
	for _, a := range inOrder(s.Jobs[0].Actions) {
		c.stopJobs(a.At)
		if err := c.take(a); err != nil {
			errs = append(errs, &ActionError{a, err})
		}
	}
	c.stopJobs(units.Duration(units.Never))
	return c.steps, errors.Join(errs...)
}

// ActionError is an action that cannot be.
type ActionError struct {
	Action Action
	Err    error
}

func (e *ActionError) Error() string { return e.Action.String() + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ActionError) Unwrap() error { return e.Err }

// seat is whose process a name means.
type seat struct {
	job, worker int
	role        Role
}

// course follows which processes run, and which jobs.
type course struct {
	set   *Set
	place map[string]seat // by name; looked up
	down  map[string]bool // looked up
	ended []bool
	again []int // starts of workers so far, by job
	steps []Step
}

// take adds an action, and what follows from it.
func (c *course) take(a Action) error {
	at, known := c.place[a.Node]
	switch {
	case !known:
		return c.unknown(a.Node)
	case a.Verb == Start:
		return c.start(a, at)
	case c.down[a.Node]:
		return fmt.Errorf("%s does not run then: start it before", a.Node)
	case a.Verb == Forget:
		return c.forget(a, at)
	case a.Verb == Raise && at.role != AsSwitch:
		return fmt.Errorf("%s is a %s: events are raised on switches", a.Node, at.role)
	case a.Verb == Raise:
		c.steps = append(c.steps, Step{Action: a, Role: AsSwitch, Job: -1})
		return nil
	}
	if at.job >= 0 && c.ended[at.job] {
		return nil // its processes have ended with it
	}
	c.down[a.Node] = true
	c.steps = append(c.steps, Step{Action: a, Role: at.role, Job: at.job, Worker: at.worker})
	c.lose(a, at)
	return nil
}

// forget adds the loss of what a switch remembers. It is for jobs that go on without a
// switch: what it forgets is a part of that.
func (c *course) forget(a Action, at seat) error {
	if at.role != AsSwitch {
		return fmt.Errorf("%s is a %s: only switches lose what they remember and go on", a.Node, at.role)
	}
	sw := slices.IndexFunc(c.set.Plan().Switches, func(s plan.Switch) bool { return s.Name == a.Node })
	users := c.set.users(sw)
	if len(users) == 0 {
		return fmt.Errorf("no job has a program on switch %s, so there is nothing to forget", a.Node)
	}
	for _, j := range users {
		if err := survives(j.System, AsSwitch); err != nil {
			return fmt.Errorf("%s cannot go on: %w", j.label(), err)
		}
	}
	c.steps = append(c.steps, Step{Action: a, Role: AsSwitch, Job: -1})
	return nil
}

func (c *course) unknown(name string) error {
	var names []string
	for n := range c.place {
		names = append(names, n)
	}
	slices.Sort(names)
	return fmt.Errorf("no process of the lab is called %q: there are %s%s", name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
}

// lose ends the jobs that do not go on without a process.
func (c *course) lose(a Action, at seat) {
	for k, j := range c.set.Jobs {
		if c.ended[k] || at.job >= 0 && at.job != k {
			continue
		}
		var err error
		switch at.role {
		case AsSwitch:
			err = j.withoutSwitch(a, c.set.Jobs[0].Actions)
		case AsServer:
			err = j.outlives(a.Node)
		case AsWorker:
			err = survives(j.System, AsWorker)
		}
		if err == nil && at.role == AsWorker {
			err = cmp.Or(c.enough(k, j), j.withoutWorker(a, c.set.Jobs[0].Actions))
		}
		if err != nil {
			c.end(k, a.At, fmt.Sprintf("%s %s was %s: %v", at.role, a.Node, a.Verb.past(), err))
		}
	}
}

func (v Verb) past() string {
	if v == Kill {
		return "killed"
	}
	return "stopped"
}

// enough refuses to go on without any worker.
func (c *course) enough(k int, j *Job) error {
	for name, at := range c.place {
		if at.job == k && at.role == AsWorker && !c.down[name] {
			return nil
		}
	}
	return errors.New("no worker is left")
}

// withoutWorker says why a job whose workers wait for one does not go on.
func (j *Job) withoutWorker(a Action, all []Action) error {
	wait, err := j.resumes()
	if !wait || err != nil {
		return err
	}
	if !startsLater(a, all) {
		return fmt.Errorf("%s waits for the gradients of all workers, and nobody starts it again", j.System.Name())
	}
	return nil
}

// startsLater reports whether the process of an action is started after it.
func startsLater(a Action, all []Action) bool {
	return slices.ContainsFunc(all, func(b Action) bool { return b.Verb == Start && b.Node == a.Node && b.At > a.At })
}

// withoutSwitch says why a job does not go on without a switch.
func (j *Job) withoutSwitch(a Action, all []Action) error {
	sw := slices.IndexFunc(j.Plan.Switches, func(s plan.Switch) bool { return s.Name == a.Node })
	switch {
	case j.hasProgram(sw):
		if err := survives(j.System, AsSwitch); err != nil {
			return err
		}
	case !j.passes(sw):
		return nil
	}
	if !startsLater(a, all) {
		return errors.New("nobody starts it again, and routes do not change: frames that go by it are lost")
	}
	if r, ok := j.System.(Recoverer); ok {
		return r.Recovers()
	}
	return nil
}

// hasProgram reports whether a switch has a program of the job's system.
func (j *Job) hasProgram(sw int) bool {
	if sw >= len(j.Layout.Programs) {
		return false
	}
	return slices.ContainsFunc(j.Layout.Programs[sw], func(p any) bool { return p != nil })
}

// end ends a job.
func (c *course) end(k int, at units.Duration, why string) {
	c.ended[k] = true
	c.steps = append(c.steps, Step{Action: Action{At: at}, Job: k, Reason: why})
}

// stopJobs ends the jobs whose time is over before an instant.
func (c *course) stopJobs(before units.Duration) {
	for {
		next := -1
		for k, j := range c.set.Jobs {
			if !c.ended[k] && j.Until > 0 && j.Until <= before && (next < 0 || j.Until < c.set.Jobs[next].Until) {
				next = k
			}
		}
		if next < 0 {
			return
		}
		c.end(next, c.set.Jobs[next].Until, "its time was over")
	}
}

// start adds the start of a process.
func (c *course) start(a Action, at seat) error {
	switch {
	case a.On != "" && at.role != AsWorker:
		return fmt.Errorf("%s is a %s: only workers come up on another host", a.Node, at.role)
	case at.job >= 0 && c.ended[at.job]:
		return nil // nothing to come back to
	case at.role == AsServer:
		return fmt.Errorf("%s is a server: what goes on without one does not take it back in a run", a.Node)
	case !c.down[a.Node]:
		return fmt.Errorf("%s runs already: kill or stop it before", a.Node)
	}
	step := Step{Action: a, Role: at.role, Job: at.job, Worker: at.worker}
	delete(c.down, a.Node)
	if at.role == AsWorker {
		if err := c.seatWorker(&step); err != nil {
			return err
		}
	}
	c.steps = append(c.steps, step)
	return nil
}

// seatWorker says what a worker that starts is to be, and where.
func (c *course) seatWorker(s *Step) error {
	j := c.set.Jobs[s.Job]
	name := cmp.Or(s.On, s.Node)
	k := slices.IndexFunc(j.Plan.Hosts, func(h plan.Host) bool { return h.Name == name })
	if k < 0 {
		return fmt.Errorf("topology %s has no host %q", j.Plan.Name, name)
	}
	if other, taken := c.place[name]; taken && name != s.Node {
		return fmt.Errorf("%s is no spare host: job %d has a %s there", name, c.set.Jobs[other.job].ID, other.role)
	}
	s.Host = j.Plan.Hosts[k]
	var err error
	if s.Config, err = c.configOf(s, k); err != nil {
		return err
	}
	delete(c.place, s.Node)
	c.place[name] = seat{s.Job, s.Worker, AsWorker}
	return nil
}

// configOf returns the configuration of a worker that comes up on a host of the plan.
func (c *course) configOf(s *Step, host int) (worker.Config, error) {
	j := c.set.Jobs[s.Job]
	if wait, err := j.resumes(); wait {
		if err != nil {
			return worker.Config{}, err
		}
		c.again[s.Job]++
		return j.again(c.again[s.Job] - 1)
	}
	moved, err := j.moved(s.Worker, host)
	if err != nil {
		return worker.Config{}, err
	}
	return moved.Workers()[s.Worker], nil
}
