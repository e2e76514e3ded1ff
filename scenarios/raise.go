package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/topo/linktext"
)

// raise reads an external event that programs of a switch take. That a program of one's own
// declares it is seen before the run.
func (r *resolver) raise(s *Scenario, e *Event, f rawAt) {
	a := job.Action{At: units.Duration(e.Time), Verb: job.Raise, Node: f.On, Event: f.Raise, Program: f.Program}
	a.Value = uint32(r.between(e.at+".value", f.Value, 0, 1<<32-1))
	if f.On == "" {
		r.wrong(e.at+".raise", errors.New("it says on no switch: name one, as in on: tor"))
		return
	}
	e.Action, e.text = &a, a.What()
	var programs, events []string
	for i := range s.Transit {
		t := &s.Transit[i]
		if t.Microcode == nil || t.Microcode.program == nil || !linktext.Matches(t.Switch, f.On) {
			continue
		}
		if programs = append(programs, t.Program); f.Program != "" && f.Program != t.Program {
			continue
		}
		for _, entry := range t.Microcode.program.Entries {
			if entry.Kind != isa.EntryEvent {
				continue
			}
			if entry.Name == f.Raise {
				return
			}
			events = append(events, entry.Name)
		}
	}
	switch {
	case len(r.errs) > 0: // a program may be missing for that
	case len(programs) == 0:
		r.wrong(e.at+".on", fmt.Errorf("no program of one's own runs on %s: put one there below transit", f.On))
	case len(events) == 0:
		r.wrong(e.at+".raise", fmt.Errorf("no program of %s has an entry for event %s: %s are there; declare it as in event %s entry LABEL;", f.On, f.Raise, strings.Join(programs, ", "), f.Raise))
	default:
		r.wrong(e.at+".raise", fmt.Errorf("no program of %s has an entry for event %s: there are %s%s", f.On, f.Raise, strings.Join(events, ", "), suggest.DidYouMean(f.Raise, events)))
	}
}
