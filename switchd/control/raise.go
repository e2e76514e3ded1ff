package control

import (
	"errors"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Raise is an external event that is to be raised (trio §2.2).
type Raise struct {
	Event string `json:"event"`           // as the program declares it
	Value uint32 `json:"value,omitempty"` // that its thread is told
}

// RaiseOf returns the request that raises an event with a number: of one program, or with no
// name of all that have it.
func RaiseOf(event string, value uint32, program string) Request {
	return Request{Version: Version, Op: OpRaise, Program: program, Raise: &Raise{Event: event, Value: value}}
}

// Raised is an event that was raised in one program.
type Raised struct {
	PFE     string `json:"pfe"`
	Program string `json:"program"`
	Raise
}

// raise raises an event in every program that has it, of those that the request concerns.
func raise(now units.Time, sw Switch, pfe int, r Request, out *Response) error {
	all, err := programs(sw, pfe, r.Program)
	if err != nil {
		return err
	}
	var refused error
	for _, p := range all {
		if _, ok := p.Engine.(dataplane.Eventful); !ok {
			continue
		}
		err := sw.RaiseEvent(now, p.pfe, p.Program, r.Raise.Event, r.Raise.Value)
		if err == nil {
			out.Raised = append(out.Raised, Raised{sw.PFEs()[p.pfe], p.Program, *r.Raise})
			continue
		}
		if refused == nil || !strings.Contains(refused.Error(), err.Error()) { // PFEs with one program say one thing
			refused = errors.Join(refused, err)
		}
	}
	switch {
	case len(out.Raised) > 0:
		return nil
	case refused == nil:
		return dataplane.Refuse(dataplane.RefusedEvent, "run a program in Microcode that declares it", "no program of %s has events", sw.Plan().Name)
	}
	return refused
}
