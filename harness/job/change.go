package job

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// LinkChange is another spec of one direction of a link from some time on.
type LinkChange struct {
	At       units.Time // from the start of the run
	From, To topo.End   // of the link, in this direction
	Spec     topo.LinkSpec
}

// String says which link changes, and when.
func (c LinkChange) String() string {
	return fmt.Sprintf("link %v->%v at %v", c.From, c.To, units.Duration(c.At))
}

// validateChanges checks those of a job.
func (s *Spec) validateChanges() error {
	var errs []error
	model := s.modelled()
	for _, c := range s.Changes {
		if _, ok := model[[2]topo.End{c.From, c.To}]; !ok {
			errs = append(errs, fmt.Errorf("%v: topology %s has no such link: name both of its ends", c, s.Plan.Name))
		}
		if c.At < 0 {
			errs = append(errs, fmt.Errorf("%v: it must change at the start of the run or later", c))
		}
		if err := c.Spec.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", c, err))
		}
	}
	if len(s.Changes) > 0 && s.Elements > 0 {
		errs = append(errs, errors.New("links change in a training or a replay: those of a benchmark stay as they are"))
	}
	return errors.Join(errs...)
}

// place is where one direction of a link is modelled.
type place struct {
	sw, port int
	inbound  bool
}

// modelled returns where each direction of a link is modelled, by its ends. It is for look-ups.
func (s *Spec) modelled() map[[2]topo.End]place {
	if len(s.Changes) == 0 {
		return nil
	}
	out := map[[2]topo.End]place{}
	for i := range s.Plan.Switches {
		sw := &s.Plan.Switches[i]
		for k := range sw.Ports {
			p := &sw.Ports[k]
			if !p.Wired {
				continue
			}
			here := topo.End{Node: sw.Name, Port: p.Name}
			out[[2]topo.End{here, p.Peer}] = place{sw: i, port: k}
			if p.PeerHost != plan.None {
				out[[2]topo.End{p.Peer, here}] = place{i, k, true}
			}
		}
	}
	return out
}

// changes returns the changes of links by the switch that models them.
func (s *Spec) changes() [][]chassis.Change {
	out, model := make([][]chassis.Change, len(s.Plan.Switches)), s.modelled()
	for _, c := range s.Changes {
		at := model[[2]topo.End{c.From, c.To}]
		out[at.sw] = append(out[at.sw], chassis.Change{At: c.At, Port: at.port, Inbound: at.inbound, Spec: c.Spec})
	}
	return out
}

// Settled returns when the last change of the lab has come: from then on all stays as it is.
// Zero: nothing ever changes.
func (s *Set) Settled() (last units.Time) {
	for _, c := range s.First().Changes {
		last = max(last, c.At)
	}
	for _, a := range s.First().Actions {
		last = max(last, units.Time(a.At))
	}
	return last
}

// Uneven reports whether iterations of some job may take many times what is expected.
func (s *Set) Uneven() bool {
	return slices.ContainsFunc(s.Jobs, func(j *Job) bool { return j.Layout.Uneven })
}

// Steady reports whether the lab stays as it is during the run. Where it does not, one iteration
// may take much longer than another.
func (s *Set) Steady() bool { return len(s.First().Changes)+len(s.First().Actions) == 0 }
