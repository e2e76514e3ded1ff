package job

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo/plan"
)

// Verb says what is done to a process, or to what it holds.
type Verb string

// The verbs.
const (
	Kill  Verb = "kill"  // it ends at once, and what it counted is lost
	Stop  Verb = "stop"  // it ends in order, and hands over what it counted
	Start Verb = "start" // it runs again, and remembers nothing

	// Forget has a switch lose what its programs remember of packets, and go on. Their jobs
	// stay, and so do frames in its links.
	Forget Verb = "forget"

	// Raise has programs in transit of a switch take an external event, and goes on.
	Raise Verb = "raise"
)

// Action is done to a process of the lab at a stated time.
type Action struct {
	At   units.Duration // from the start of the run
	Verb Verb
	Node string // the process: a switch, a server, or the host of a worker
	On   string // Start of a worker: the host that it comes up on; empty: where it was

	Event   string // Raise: as programs declare it
	Value   uint32 // Raise: the number that its thread is told
	Program string // Raise: in transit, which alone takes it; empty: all that have the event
}

// String tells an action in the words of a scenario.
func (a Action) String() string { return fmt.Sprintf("%s at %v", a.What(), a.At) }

// What tells an action without its time.
func (a Action) What() string {
	if a.Verb == Raise {
		return fmt.Sprintf("%s %s %d on %s", a.Verb, a.Event, a.Value, a.Node)
	}
	text := fmt.Sprintf("%s %s", a.Verb, a.Node)
	if a.On != "" {
		text += " on " + a.On
	}
	return text
}

// Role is what a process is to its job.
type Role string

// The roles.
const (
	AsWorker Role = "worker"
	AsServer Role = "server"
	AsSwitch Role = "switch" // with a program of the job's system
)

// Survivor is a system whose jobs may go on without one of their processes. A job of any
// other system ends when one of its workers or servers does, or a switch with a program
// of it.
type Survivor interface {
	System
	// Survives returns nil if a job goes on while a process of the role is gone, and takes
	// it back when it runs again; or says why it does not.
	Survives(Role) error
}

// Outliver is a system whose jobs may go on for good without one of their servers. A [Survivor] says so of a
// role; here it depends on the server.
type Outliver interface {
	System
	// Outlives returns nil if a job goes on without a server, or says why it does not.
	Outlives(j *Job, server string) error
}

// outlives is [Outliver] of any system.
func (j *Job) outlives(server string) error {
	if v, ok := j.System.(Outliver); ok {
		return v.Outlives(j, server)
	}
	return survives(j.System, AsServer)
}

// survives is [Survivor] of any system.
func survives(s System, r Role) error {
	if v, ok := s.(Survivor); ok {
		return v.Survives(r)
	}
	if r == AsWorker {
		return fmt.Errorf("%s waits for the gradients of all workers", s.Name())
	}
	return fmt.Errorf("the sums that it held are lost, and %s sends no gradient twice", s.Name())
}

// Step is what a runner does at an instant of a run: an action, or the end of a job.
type Step struct {
	Action        // its Verb is empty where a job ends
	Role   Role   // of the process
	Job    int    // index in [Set.Jobs], of the job that ends or that the process is of; -1: a switch
	Reason string // why the job ends

	Worker int           // of the job, where Role is AsWorker
	Host   plan.Host     // that the process runs on from now on, of a worker that starts
	Config worker.Config // likewise
}

// Ends reports whether the step is the end of a job.
func (s *Step) Ends() bool { return s.Verb == "" }

// String tells the step.
func (s *Step) String() string {
	if s.Ends() {
		return fmt.Sprintf("the job ended at %v: %s", s.At, s.Reason)
	}
	return s.Action.String()
}
