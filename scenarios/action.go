package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
)

// action reads what is done to a process, or the start or the end of a job or a flow.
func (r *resolver) action(s *Scenario, e *Event, a job.Action) {
	a.At, e.text = units.Duration(e.Time), a.What()
	path := e.at + "." + string(a.Verb)
	if a.On != "" && a.Verb != job.Start {
		r.wrong(e.at+".on", fmt.Errorf("%s names no host: only a worker that starts comes up on one", a.Verb))
	}
	isJob := slices.IndexFunc(s.Tenants, func(t Tenant) bool { return t.Name == a.Node })
	isFlow := slices.IndexFunc(s.Flows, func(f job.Flow) bool { return f.Name == a.Node })
	_, isHost := r.hostNumber(a.Node)
	switch {
	case isHost && (isJob >= 0 || isFlow >= 0):
		r.wrong(path, fmt.Errorf("%s is a host, and a job or a flow: give that another name", a.Node))
	case isJob >= 0 && isFlow >= 0:
		r.wrong(path, fmt.Errorf("%s is a job and a flow: give one of them another name", a.Node))
	case isJob < 0 && isFlow < 0:
		e.Action = &a
	case a.Verb == job.Forget:
		r.wrong(path, fmt.Errorf("%s is a job or a flow: a switch forgets", a.Node))
	case a.Verb == job.Kill || a.On != "":
		r.wrong(path, fmt.Errorf("%s is a job or a flow, and runs on several hosts: stop it, or start it, without a host", a.Node))
	case isJob >= 0:
		t := &s.Tenants[isJob]
		r.span(path, "job "+t.Name, a, &t.Times.Start, &t.Until)
	default:
		f := &s.Flows[isFlow]
		r.span(path, "flow "+f.Name, a, &f.Pattern.Start, &f.Pattern.Stop)
	}
}

// span sets the start or the end of something that has each once.
func (r *resolver) span(path, what string, a job.Action, start, end *units.Duration) {
	at := start
	if a.Verb == job.Stop {
		at = end
	}
	switch {
	case *at != 0:
		r.wrong(path, fmt.Errorf("%s has a %s at %v already: write one", what, a.Verb, *at))
		return
	case a.At == 0:
		r.wrong(path, fmt.Errorf("%s of %s at 0s: write a later time, or leave it out: what has no start runs from the beginning", a.Verb, what))
		return
	}
	*at = a.At
	r.wrong(path, checkSpan(what, *start, *end))
}

// checkSpan refuses an end that is not behind the start; 0 is none.
func checkSpan(what string, start, end units.Duration) error {
	if end != 0 && end <= start {
		return fmt.Errorf("%s starts at %v and stops at %v: the stop must be later", what, start, end)
	}
	return nil
}

// actions returns what is done to processes.
func (s *Scenario) actions() (out []job.Action) {
	for _, e := range s.At {
		if e.Action != nil {
			out = append(out, *e.Action)
		}
	}
	return out
}

// checkCourse says where in the file an action stands that cannot be.
func (s *Scenario) checkCourse(set *job.Set) error {
	_, err := set.Course()
	var wrong *job.ActionError
	if !errors.As(err, &wrong) {
		return err
	}
	i := slices.IndexFunc(s.At, func(e Event) bool { return e.Action != nil && *e.Action == wrong.Action })
	return s.doc.Wrong(s.At[i].at, err)
}
