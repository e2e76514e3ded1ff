package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Labelled is a system whose packets name their job and slot in the header, so that links can lose
// single ones of them by name ([topo.Script]).
type Labelled interface {
	System
	// Label says where packets of the job do, and which slots there are; ok is false where they name none.
	Label(j *Job) (l Label, ok bool)
}

// Label is where packets of a job name it and their slot, and which slots there are.
type Label struct {
	impair.Label
	Slot        string // what the system calls a slot, as "block"
	First, Last uint32
}

// labelled returns the label of a job.
func (j *Job) labelled() (l Label, ok bool) {
	s, ok := j.System.(Labelled)
	if !ok {
		return l, false
	}
	return s.Label(j)
}

// ScriptError is a packet that a link is to lose by name, and that there cannot be.
type ScriptError struct {
	Job    int
	Slot   uint32
	NoSlot bool // the job is there, but has no such slot
	Reason string
}

func (e *ScriptError) Error() string { return e.Reason }

// CheckScripts says which packets that links are to lose by name there cannot be: a [*ScriptError].
func (s *Set) CheckScripts() error {
	for _, script := range s.First().scripts() {
		drops, err := script.Drops()
		if err != nil {
			return err
		}
		for _, d := range drops {
			if err := s.checkDrop(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDrop returns no *ScriptError but as an error: a nil one would not be nil.
func (s *Set) checkDrop(d topo.Drop) error {
	i := slices.IndexFunc(s.Jobs, func(j *Job) bool { return int(j.ID) == d.Job })
	if i < 0 {
		return &ScriptError{Job: d.Job, Slot: d.Slot, Reason: fmt.Sprintf("packets of job %d are to be lost: %s", d.Job, s.ids())}
	}
	j := s.Jobs[i]
	l, ok := j.labelled()
	switch {
	case !ok:
		return &ScriptError{d.Job, d.Slot, true, fmt.Sprintf("packets of %s name no slot, so none can be lost by its slot: leave drop out, or use loss-every", j.System.Name())}
	case d.Slot < l.First || d.Slot > l.Last:
		return &ScriptError{d.Job, d.Slot, true, fmt.Sprintf("%s %d: job %d runs %s, whose %ss are %d to %d", l.Slot, d.Slot, d.Job, j.System.Name(), l.Slot, l.First, l.Last)}
	}
	return nil
}

func (s *Set) ids() string {
	if len(s.Jobs) == 1 {
		return fmt.Sprintf("there is one, job %d", s.Jobs[0].ID)
	}
	var ids []string
	for _, j := range s.Jobs {
		ids = append(ids, fmt.Sprint(j.ID))
	}
	return "jobs are " + strings.Join(ids, ", ")
}

// labels returns where packets of the jobs name their slots, each kind once; nil where nothing is lost by name.
func (s *Set) labels() (out []impair.Label) {
	if len(s.First().scripts()) == 0 {
		return nil
	}
	for _, j := range s.Jobs {
		if l, ok := j.labelled(); ok && !slices.Contains(out, l.Label) {
			out = append(out, l.Label)
		}
	}
	return out
}

// scripts returns what links of the plan lose by name, at first or after a change.
func (s *Spec) scripts() (out []topo.Script) {
	take := func(specs ...topo.LinkSpec) {
		for _, l := range specs {
			if l.Script != "" && !slices.Contains(out, l.Script) {
				out = append(out, l.Script)
			}
		}
	}
	for i := range s.Plan.Switches {
		sw := &s.Plan.Switches[i]
		for _, port := range sw.Ports {
			if port.Wired && port.PeerHost != plan.None {
				take(port.In)
			}
			take(port.Out)
		}
		if sw.Chassis != nil {
			take(sw.Chassis.Fabric)
		}
	}
	for _, c := range s.Changes {
		take(c.Spec)
	}
	return out
}
